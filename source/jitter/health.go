package jitter

import (
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

const (
	// alphaIntermittent is the probability, for each run and window of a source that has no more
	// min-entropy than claimed, of an alarm that drops a block. A source with twice the claim, which
	// the estimates ask for, trips with the square of it: never.
	alphaIntermittent sp80090b.Alpha = 30
	// alphaPermanent is the probability at which chance is ruled out.
	alphaPermanent sp80090b.Alpha = 60
)

// health is the continuous tests of the raw samples: RCT and APT (SP 800-90B, 4.4) and a lag test
// (4.5), on every sample, before conditioning.
type health struct {
	rct *sp80090b.RCT
	apt *sp80090b.APT
	lag *sp80090b.LagTest
}

func newHealth(h float64) (*health, error) {
	rct, err := sp80090b.NewRCT(h, alphaIntermittent, alphaPermanent)
	if err != nil {
		return nil, err
	}
	apt, err := sp80090b.NewAPT(h, sp80090b.WindowNonBinary, alphaIntermittent, alphaPermanent)
	if err != nil {
		return nil, err
	}
	lag, err := sp80090b.NewLagTest(h, alphaIntermittent, alphaPermanent)
	if err != nil {
		return nil, err
	}
	return &health{rct, apt, lag}, nil
}

// tell reports the cutoffs in force.
func (t *health) tell(rec source.Recorder) {
	cutoff, _ := t.rct.Cutoffs()
	rec.HealthCutoff(source.RCT, cutoff, alphaIntermittent)
	cutoff, _ = t.apt.Cutoffs()
	rec.HealthCutoff(source.APT, cutoff, alphaIntermittent)
	cutoff, _ = t.lag.Cutoffs()
	rec.HealthCutoff(source.Vendor, cutoff, alphaIntermittent)
}

// scanner is what the tests have in common.
type scanner interface {
	Scan(samples []byte) (int, sp80090b.Verdict)
	Cutoffs() (intermittent, permanent int)
}

// add tests samples and returns the worst alarm, nil if there is none. All samples are tested even
// after an alarm, since a permanent one may follow.
func (t *health) add(samples []byte) *source.AlarmError {
	var alarm *source.AlarmError
	alarm = worse(alarm, t.rct, source.RCT, samples)
	alarm = worse(alarm, t.apt, source.APT, samples)
	return worse(alarm, t.lag, source.Vendor, samples)
}

// worse puts samples through one test and returns its alarm if that is worse than the one so far.
func worse(alarm *source.AlarmError, t scanner, name source.HealthTest, samples []byte) *source.AlarmError {
	for len(samples) > 0 {
		i, verdict := t.Scan(samples)
		if verdict == sp80090b.OK {
			break
		}
		if alarm == nil || verdict > alarm.Verdict {
			cutoff, permanent := t.Cutoffs()
			if verdict == sp80090b.Permanent {
				cutoff = permanent
			}
			alarm = &source.AlarmError{Test: name, Verdict: verdict, Sample: samples[i], Cutoff: cutoff}
		}
		samples = samples[i+1:]
	}
	return alarm
}
