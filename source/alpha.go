package source

import "github.com/hwrngd/hwrngd/sp80090b"

const (
	// secondsInYear is that of 365.25 days.
	secondsInYear = 365.25 * 24 * 3600

	// leastAlpha and alphaStep are the false-alarm probabilities from which alphas chooses: 2^-30,
	// 2^-40, ... SP 800-90B (January 2018), section 4.4, recommends 2^-20 to 2^-40 for one test of a
	// sample; the daemon tests for years.
	leastAlpha = sp80090b.Alpha(30)
	alphaStep  = sp80090b.Alpha(10)

	// permanentAlpha is the probability at which chance is ruled out, and permanentGap what lies at
	// least between the two alarms of a very fast source.
	permanentAlpha = sp80090b.Alpha(60)
	permanentGap   = sp80090b.Alpha(20)

	// maxRate is faster than any generator: data that lay ready in a buffer seem to come at any rate.
	maxRate = 1e9

	// unknownRate is assumed of a source that has not shown its rate yet, in bytes a second.
	unknownRate = 10e3
)

// alphas returns the false-alarm probabilities of RCT (per sample) and APT (per window) for a source
// of so many samples a second, 0 if not known: a source exactly at its claim then trips less than
// once a year even if it is read without a pause.
func alphas(rate float64) (intermittent, permanent sp80090b.Alpha) {
	if rate <= 0 {
		rate = unknownRate
	}
	intermittent = leastAlpha
	for min(rate, maxRate)*secondsInYear*intermittent.Float64() >= 1 {
		intermittent += alphaStep
	}
	return intermittent, max(permanentAlpha, intermittent+permanentGap)
}
