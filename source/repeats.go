package source

import (
	"github.com/hwrngd/hwrngd/source/repeat"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// repeatAlpha is the chance, for each byte, that a source exactly at its claim shows a match that
// counts as a repeat.
const repeatAlpha = sp80090b.Alpha(60)

// repeats finds data that a source delivered before: a buffer handed out twice, a generator that
// runs in a circle, static data that passes every other test. It remembers across start-up tests,
// quarantines and fresh opens, or such data would earn credit each time the tests begin anew. What it remembers, the last
// 96 KiB at most, is never used for anything but comparisons.
type repeats struct {
	match    int // shortest repeat in bytes
	detector *repeat.Detector
}

// claim adapts to a source with that min-entropy in bits per byte.
func (r *repeats) claim(h float64) {
	if match := repeat.MinMatch(repeatAlpha, h); match != r.match {
		r.match, r.detector = match, repeat.New(match)
	}
}

// screen takes in the next samples, and raises an alarm if any of them repeats earlier ones.
func (r *repeats) screen(samples []byte) *AlarmError {
	if r.detector.Scan(samples) == 0 {
		return nil
	}
	return &AlarmError{Test: Vendor, Verdict: sp80090b.Intermittent, Cutoff: r.match, Period: r.detector.Latest()}
}
