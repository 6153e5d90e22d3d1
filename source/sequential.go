package source

import (
	"math"

	"github.com/hwrngd/hwrngd/fips"
)

// cusum judges a source by how often its blocks fail FIPS 140-2, so that neither one bad block nor
// ten in ten thousand stop a good source, and one that is broken or drifts is found. It is a CUSUM in
// integers: a failure adds to the score, a pass takes off, never below zero.
//
// For p0 = fips.ChanceAny, which is chance, and p1 = 0.008, ten times that, the weights are in the
// ratio of log(p1/p0) to log((1-p0)/(1-p1)): 320 to 1. The alarm is at m failures in a row, 320(m-1)+1.
// Mean blocks between false alarms, from the Markov chain of the score (a test solves it), and to
// detection:
//
//	m    alarm   ideal    0.8 %   2 %   12.5 %   dead
//	8    2241    4.0e9    1420    429   64       8
//	10   2881    4.0e11   1828    548   80       10
//	12   3521    4.0e13   2240    667   96       12
type cusum struct {
	weights
	alarm int // score from which on the source fails too often

	score  int
	blocks int // since the score was last zero
	failed int // of these
}

// weights are what one block adds to a score.
type weights struct {
	fail int
	pass int // is taken off
}

// The standard weights, for sources that are expected to fail by chance alone.
var chanceWeights = weights{fail: 320, pass: 1}

// nat is the unit of other weights: a likelihood ratio of e.
const nat = 1000

// ratios returns the weights of the sequential test of failure rates p0 against p1, in 1/nat.
func ratios(p0, p1 float64) weights {
	return weights{
		fail: int(math.Round(nat * math.Log(p1/p0))),
		pass: int(math.Round(nat * math.Log((1-p0)/(1-p1)))),
	}
}

// expect sets the test up for a source that gives so many bytes a second, 0 if not known, and is
// documented to fail that share of blocks, 0 for chance. The score so far stays; a test that is set
// up for a faster source than this one stays so.
func (c *cusum) expect(rate, documented float64) {
	m := failuresInARow(rate)
	if documented <= fips.ChanceAny {
		c.weights = chanceWeights
		c.alarm = max(c.alarm, c.fail*(m-1)+1)
		return
	}
	// A source that fails by design is out of order at four times its rate, or when most blocks fail
	// that used to pass. By Lorden's bound a CUSUM of log-likelihood ratios with the threshold log(A)
	// has a mean of at least A blocks between false alarms; A is that of the table above.
	c.weights = ratios(documented, min(4*documented, (1+documented)/2))
	c.alarm = max(c.alarm, int(math.Ceil(nat*math.Log(4e11*math.Pow(10, float64(m-10))))))
}

// failuresInARow returns how many failures in a row are too many. Each one more makes false alarms
// ten times rarer, so that they stay decades apart however fast the source is.
func failuresInARow(rate float64) int {
	switch {
	case rate <= 10e3:
		return 8
	case rate <= 1e6:
		return 10
	}
	return 12
}

// add takes in one block.
func (c *cusum) add(failed bool) {
	c.blocks++
	if failed {
		c.score += c.fail
		c.failed++
		return
	}
	if c.score -= c.pass; c.score <= 0 {
		c.score, c.blocks, c.failed = 0, 0, 0
	}
}

// failsOften tells whether the source fails more often than chance explains.
func (c *cusum) failsOften() bool { return c.score >= c.alarm }

// failsMore tells whether it is half way to that.
func (c *cusum) failsMore() bool { return c.score >= (c.alarm+1)/2 }

// recovered tells whether it has come half way down again, so that a source at the border does not
// change its state with every block.
func (c *cusum) recovered() bool { return c.score <= c.alarm/4 }

// failureRate is the share of blocks that failed since the score began to rise: the maximum
// likelihood estimate of the rate after the change.
func (c *cusum) failureRate() float64 { return float64(c.failed) / float64(max(c.blocks, 1)) }

// readmission decides whether a source that failed too many blocks is good again: the sequential
// probability ratio test of the rate at which it failed against the one that is normal. A source
// that was dead is back after some twenty good blocks, one that failed ten times as often as chance
// after 2600.
type readmission struct {
	weights
	score, good, bad int
}

const (
	// A good source is refused once in 1e9 tests, one as bad as before admitted once in 1e6: the
	// bounds of Wald's test, log((1-beta)/alpha) and log(beta/(1-alpha)).
	readmitAlpha = 1e-9
	readmitBeta  = 1e-6
	// leastShift is the smallest ratio of failure rates that the test tells apart.
	leastShift = 10
)

// newReadmission returns the test for a source that failed the share observed of its blocks, and is
// documented to fail another, 0 for chance.
func newReadmission(observed, documented float64) *readmission {
	p0 := max(documented, fips.ChanceAny)
	p1 := min(max(observed, min(leastShift*p0, (1+p0)/2)), max(0.5, (1+p0)/2))
	return &readmission{
		weights: ratios(p0, p1),
		good:    int(math.Floor(nat * math.Log(readmitBeta/(1-readmitAlpha)))),
		bad:     int(math.Ceil(nat * math.Log((1-readmitBeta)/readmitAlpha))),
	}
}

// add takes in one block. The answer is final: admitted, refused, or neither yet.
func (r *readmission) add(failed bool) (admitted, refused bool) {
	if failed {
		r.score += r.fail
	} else {
		r.score -= r.pass
	}
	return r.score <= r.good, r.score >= r.bad
}

// progress is how far the test is on the way to admission, 0 to 1.
func (r *readmission) progress() float64 { return min(max(float64(r.score)/float64(r.good), 0), 1) }
