package jitter

import (
	"errors"
	"fmt"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

const (
	// maxAlarms intermittent alarms within alarmSpan samples are one too many for chance.
	maxAlarms = 3
	alarmSpan = 1 << 24
	// maxStartups is how many start-up tests in a row may fail.
	maxStartups = 3
)

// failures decides when the source is broken for good. There is no way back but a restart of the
// process.
type failures struct {
	alarms   []uint64 // numbers of the samples of recent alarms
	startups int      // failed ones in a row
	latched  *source.FailedError
}

// alarm notes a failure of tests at that sample.
func (f *failures) alarm(err error, sample uint64, permanent bool) {
	if permanent {
		f.latch("a health test ruled out chance: " + err.Error())
		return
	}
	recent := f.alarms[:0]
	for _, at := range f.alarms {
		if sample-at < alarmSpan {
			recent = append(recent, at)
		}
	}
	f.alarms = append(recent, sample)
	if len(f.alarms) >= maxAlarms {
		f.latch(fmt.Sprintf("%d alarms within %d samples, the last one: %v", len(f.alarms), alarmSpan, err))
	}
}

// startup notes the outcome of a start-up test.
func (f *failures) startup(reason string) {
	if reason == "" {
		f.startups = 0
		return
	}
	if f.startups++; f.startups >= maxStartups {
		f.latch(fmt.Sprintf("%d start-up tests in a row failed, the last one: %s", f.startups, reason))
	}
}

func (f *failures) latch(reason string) {
	if f.latched == nil {
		f.latched = &source.FailedError{
			Reason: reason,
			Hint:   "use a hardware generator; after a change of machine or kernel, restart to test the jitter source anew",
		}
	}
}

// isPermanent tells whether an error from a stream rules out chance.
func isPermanent(err error) bool {
	alarm, ok := errors.AsType[*source.AlarmError](err)
	return ok && alarm.Verdict == sp80090b.Permanent
}
