package sp80090b

import (
	"bytes"
	"fmt"
)

// APT is the adaptive proportion test of SP 800-90B section 4.4.2: it raises an
// alarm if the first sample of a window is too frequent in it. Make one with
// NewAPT.
type APT struct {
	cutoffs cutoffs
	window  int
	left    int  // samples still to come in the current window
	first   byte // the first sample of the window
	count   int  // samples of the window so far that equal it, itself included
}

// NewAPT returns a test for a source with a claimed min-entropy of h bits per
// sample, 0 < h <= 8. window is WindowNonBinary or, with h at most 1,
// WindowBinary. The probabilities of a false intermittent and permanent alarm are
// as for NewRCT.
func NewAPT(h float64, window int, intermittent, permanent Alpha) (*APT, error) {
	err := validateAPT(h, window, intermittent, permanent)
	if err == nil {
		err = validatePair(intermittent, permanent)
	}
	if err != nil {
		return nil, fmt.Errorf("set up adaptive proportion test: %w", err)
	}
	return &APT{
		cutoffs: cutoffs{APTCutoff(intermittent, h, window), APTCutoff(permanent, h, window)},
		window:  window,
	}, nil
}

// Cutoffs returns the counts, in one window, of samples equal to its first that
// raise the two alarms. A cutoff of one more than the window is out of reach: with
// a claim that small only the repetition count test can raise this alarm. It is
// not lowered to the window, which would make false alarms likelier than alpha.
func (a *APT) Cutoffs() (intermittent, permanent int) {
	return a.cutoffs.intermittent, a.cutoffs.permanent
}

// Add tests the next sample. The verdict is an alarm for the sample with which the
// count reaches a cutoff, and for all that follow in this window.
func (a *APT) Add(sample byte) Verdict {
	if a.left == 0 {
		a.left, a.first, a.count = a.window, sample, 0
	}
	a.left--
	if sample == a.first {
		a.count++
	}
	return a.cutoffs.judge(a.count)
}

// Scan tests samples as Add does, up to the first that raises an alarm. It returns
// the index and the verdict of that one, or len(samples) and OK. Samples after an
// alarm have not been tested.
func (a *APT) Scan(samples []byte) (int, Verdict) {
	for done := 0; done < len(samples); {
		if a.left == 0 {
			a.left, a.first, a.count = a.window, samples[done], 0
		}
		rest := samples[done:min(len(samples), done+a.left)]
		if count := a.count + bytes.Count(rest, []byte{a.first}); count < a.cutoffs.intermittent {
			a.count = count
			a.left -= len(rest)
			done += len(rest)
			continue
		}
		for i, sample := range rest {
			if v := a.Add(sample); v != OK {
				return done + i, v
			}
		}
	}
	return len(samples), OK
}

// Reset forgets the samples so far; the next one starts a window.
func (a *APT) Reset() { a.left = 0 }
