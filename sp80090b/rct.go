package sp80090b

import "fmt"

// RCT is the repetition count test of SP 800-90B section 4.4.1: it raises an alarm
// if a sample value repeats too often in a row. Make one with NewRCT.
type RCT struct {
	cutoffs cutoffs
	last    byte
	count   int // samples in the current run, at most the permanent cutoff
}

// NewRCT returns a test for a source with a claimed min-entropy of h bits per
// sample, 0 < h <= 8, and the given probabilities of a false intermittent and
// permanent alarm, the second not larger than the first.
func NewRCT(h float64, intermittent, permanent Alpha) (*RCT, error) {
	err := validate(h, intermittent, permanent)
	if err == nil {
		err = validatePair(intermittent, permanent)
	}
	if err != nil {
		return nil, fmt.Errorf("set up repetition count test: %w", err)
	}
	return &RCT{cutoffs: cutoffs{RCTCutoff(intermittent, h), RCTCutoff(permanent, h)}}, nil
}

// Cutoffs returns the numbers of equal samples in a row that raise the two alarms.
func (r *RCT) Cutoffs() (intermittent, permanent int) {
	return r.cutoffs.intermittent, r.cutoffs.permanent
}

// Add tests the next sample. The verdict is an alarm for the sample with which a
// run of equal samples reaches a cutoff, and for all that follow in this run.
func (r *RCT) Add(sample byte) Verdict {
	if sample != r.last {
		r.last, r.count = sample, 0
	}
	if r.count < r.cutoffs.permanent { // stuck for ever must not overflow
		r.count++
	}
	return r.cutoffs.judge(r.count)
}

// Scan tests samples as Add does, up to the first that raises an alarm. It returns
// the index and the verdict of that one, or len(samples) and OK. Samples after an
// alarm have not been tested.
func (r *RCT) Scan(samples []byte) (int, Verdict) {
	last, count := r.last, r.count
	for i, sample := range samples {
		if sample != last {
			last, count = sample, 0
		}
		count++
		if count >= r.cutoffs.intermittent {
			r.last, r.count = last, min(count, r.cutoffs.permanent)
			return i, r.cutoffs.judge(count)
		}
	}
	r.last, r.count = last, count
	return len(samples), OK
}

// Reset forgets the samples so far.
func (r *RCT) Reset() { r.count = 0 }
