package source

import (
	"math"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/sp80090b"
)

const (
	// estimateBlocks is the window of a running estimate: 100,000 samples of a byte. The least estimate
	// of a perfect source is that of collisions: 320,000 pieces have a mean of 2.5 bits with a standard
	// deviation of 0.5/sqrt(320,000), which makes 7.2 bits a byte as a rule and 6.8 at four standard
	// deviations. An alert takes 6.4 for too few; that is at ten. A source that is read once a minute
	// fills a window in 40 minutes.
	estimateBlocks = 40
	// estimateSteps is how many figures are told apart in one bit. Estimates are rounded down to
	// them, so that three of them tell less than 30 bits about a window of 800,000.
	estimateSteps = 100
)

// estimate is a running estimate of the min-entropy of a source's raw samples. It counts every block
// that is tested, also one that fails, and what came of one until an alarm: to leave the bad data out
// would flatter the source. Counts are all that stays of the data, so it may be credited as if nobody
// had counted it.
//
// It reports and nothing else: a claim never depends on it.
type estimate struct {
	tally sp80090b.Tally
	last  [len(Estimators)]float64 // figures, bits a byte
	known bool                     // there are any
}

// add counts consecutive samples. At the end of a window it reports, and begins the next one.
func (e *estimate) add(samples []byte, rec Recorder) {
	e.tally.Add(samples)
	if e.tally.Samples() < estimateBlocks*fips.BlockBytes {
		return
	}
	for estimator, h := range [...]float64{MCV: e.tally.MostCommonValue(), Collision: e.tally.Collision(), Markov: e.tally.Markov()} {
		e.last[estimator] = math.Floor(h*estimateSteps) / estimateSteps
	}
	e.known = true
	e.show(rec)
	e.tally.Reset()
}

// show reports the last figures, or that there are none.
func (e *estimate) show(rec Recorder) {
	if e.known {
		rec.MinEntropy(e.last[:])
	} else {
		rec.MinEntropy(nil)
	}
}

// forget drops what is known of a source that is another one from now on.
func (e *estimate) forget(rec Recorder) {
	e.tally.Reset()
	if e.known {
		e.known = false
		e.show(rec)
	}
}
