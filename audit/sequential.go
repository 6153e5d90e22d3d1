package audit

import "github.com/hwrngd/hwrngd/fips"

// Sequential decides between two hypotheses on the blocks of FIPS 140-2 as they come: that they are of
// an ideal source, which fails with p0 = fips.ChanceAny, or of one that fails ten times as often, p1 =
// 0.008. It is the sequential probability ratio test of A. Wald, Sequential Analysis (1947), chapter
// 3, with an error probability of 1e-9 to reject an ideal source and of 1e-6 to accept the other.
// The zero value has seen no block.
//
// The log-likelihood ratio grows by ln(p1/p0) with a failed block and falls by ln((1-p0)/(1-p1)) with one
// that passes. The score counts it in units of the latter.
type Sequential struct{ score int }

const (
	// sequentialFailure is ln(p1/p0) / ln((1-p0)/(1-p1)), rounded.
	sequentialFailure = 319
	// sequentialReject is ln((1-1e-6)/1e-9), and sequentialAccept ln(1e-6/(1-1e-9)), in the same unit
	// and rounded outwards.
	sequentialReject = 2864
	sequentialAccept = -1910
)

// Add takes the next block and tells whether the test has come to a decision. Blocks after that change
// nothing.
func (s *Sequential) Add(failed bool) (decided bool) {
	switch {
	case s.decided():
	case failed:
		s.score += sequentialFailure
	default:
		s.score--
	}
	return s.decided()
}

func (s *Sequential) decided() bool { return s.Accepted() || s.score >= sequentialReject }

// Accepted tells whether the test has decided for the ideal source.
func (s *Sequential) Accepted() bool { return s.score <= sequentialAccept }

// ExpectedBlocks returns how many blocks more an ideal source needs, on average, until it is accepted: the
// way to go by the mean step, Wald's identity. It is 2562 at first.
func (s *Sequential) ExpectedBlocks() int64 {
	if s.decided() {
		return 0
	}
	const perBlock = 1 - fips.ChanceAny - sequentialFailure*fips.ChanceAny
	return int64(float64(s.score-sequentialAccept)/perBlock + 0.5)
}
