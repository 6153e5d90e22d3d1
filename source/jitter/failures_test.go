package jitter

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// stuckable is a noisy clock whose next samples can be made equal.
type stuckable struct {
	*jittertest.Clock
	equal int
}

func newStuckable(seed uint64) *stuckable {
	s := &stuckable{Clock: noisy(seed)}
	noise := s.Step
	s.ReadTime = 20 // so that a sample of 300 ns is a whole number of ticks
	s.Step = func(bytes, touches int) float64 {
		if s.equal > 0 {
			s.equal--
			return 300
		}
		return noise(bytes, touches)
	}
	return s
}

// TestIntermittentAlarm: the block is dropped with all others of that Read, the claim goes down, the
// start-up test is made again.
func TestIntermittentAlarm(t *testing.T) {
	clock := newStuckable(1)
	r := newRig(t, Options{Clock: clock})
	r.mustRead(640)
	before := r.s.Status()
	clock.equal = 100
	data, err := r.read(2500)
	alarm, ok := errors.AsType[*source.AlarmError](err)
	if len(data) > 0 || !ok || alarm.Test != source.RCT || alarm.Verdict != sp80090b.Intermittent || alarm.Cutoff != 61 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	st := r.s.Status()
	if st.Alarms != 1 || st.Restarts != 1 || st.Rung != 1 || st.SamplesPerBlock != 1728 || st.Failed {
		t.Errorf("%+v", st)
	}
	events := r.rec.Events()
	if len(events.Alarms) != 1 || events.Alarms[0].Test != source.RCT || events.Cutoffs[source.RCT] != 61 {
		t.Errorf("%+v", events)
	}
	works := clock.Works
	r.mustRead(640)
	if clock.Works-works < startupSamples+windowSamples+10*1728 {
		t.Errorf("%d samples for a start-up test and ten blocks", clock.Works-works)
	}
	if st := r.s.Status(); st.Rung != 1 || st.Blocks <= before.Blocks {
		t.Errorf("%+v", st)
	}
	if got := r.rec.Events().Cutoffs[source.RCT]; got != 91 {
		t.Errorf("cutoff %d", got)
	}
}

// TestLatch: three alarms within 2^24 samples are final, whatever the noise does afterwards.
func TestLatch(t *testing.T) {
	clock := newStuckable(2)
	r := newRig(t, Options{Clock: clock})
	for i, equal := range []int{100, 150, 200} {
		r.mustRead(640)
		clock.equal = equal
		_, err := r.read(2500)
		if _, alarm := errors.AsType[*source.AlarmError](err); alarm != (i < 2) || failed(err) != (i == 2) {
			t.Fatalf("alarm %d: %v", i+1, err)
		}
	}
	works := clock.Works
	for range 3 {
		data, err := r.read(2500)
		if len(data) > 0 || !failed(err) || !strings.Contains(err.Error(), "3 alarms within 16777216 samples") {
			t.Errorf("%d bytes, %v", len(data), err)
		}
		if !failed(r.s.Watch()) {
			t.Error("watch does not tell")
		}
	}
	if st := r.s.Status(); clock.Works != works || !st.Failed || st.Refused == "" || st.Alarms != 3 {
		t.Errorf("%+v", st)
	}
}

// TestPermanentAlarm: one is enough.
func TestPermanentAlarm(t *testing.T) {
	clock := newStuckable(3)
	r := newRig(t, Options{Clock: clock})
	r.mustRead(64)
	clock.equal = 1 << 30
	if data, err := r.read(2500); len(data) > 0 || !failed(err) || !strings.Contains(err.Error(), "ruled out chance") {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	clock.equal = 0
	if data, err := r.read(2500); len(data) > 0 || !failed(err) {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if events := r.rec.Events(); len(events.Alarms) != 1 || events.Alarms[0].Verdict != sp80090b.Permanent {
		t.Errorf("%+v", events.Alarms)
	}
}

// TestAlarmsFarApart are chance.
func TestAlarmsFarApart(t *testing.T) {
	var f failures
	for i := range uint64(10) {
		f.alarm(errBackward, i*alarmSpan/2, false)
		if f.latched != nil {
			t.Fatalf("latched at alarm %d", i+1)
		}
	}
	f.alarm(errBackward, 5*alarmSpan-1, false)
	if f.latched == nil {
		t.Error("three alarms in a span did not latch")
	}
}

// TestFailedStartups: three in a row are final; a passed one between makes good.
func TestFailedStartups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{Clock: noisy(4)})
		e := r.engine()
		estimate := 0.2
		e.estimate = func([]byte) (float64, string) { return estimate, "test" }
		for i, pause := range []time.Duration{startupHold, startupHold + startupHoldStep, 0} {
			data, err := r.read(64)
			if last := i == 2; len(data) > 0 || failed(err) != last || (sourcetest.Unavailable(err) != nil) == last || !strings.Contains(err.Error(), "0.20 bits of min-entropy a sample (test)") {
				t.Fatalf("start-up %d: %v", i+1, err)
			}
			time.Sleep(pause - time.Nanosecond)
			if _, err := r.read(64); e.failures.startups != i+1 {
				t.Fatalf("start-up %d was repeated within %s: %v", i+1, pause, err)
			}
			time.Sleep(time.Nanosecond)
		}
		estimate = 4
		if _, err := r.read(64); !failed(err) {
			t.Errorf("after the latch: %v", err)
		}
	})
	var f failures
	for range 5 {
		f.startup("bad")
		f.startup("bad")
		f.startup("")
	}
	if f.latched != nil {
		t.Error(f.latched)
	}
}

// TestBackwardClock: what goes back is no monotonic clock.
func TestBackwardClock(t *testing.T) {
	clock := noisy(5)
	noise, back := clock.Step, false
	clock.Step = func(bytes, touches int) float64 {
		if back {
			back = false
			return -5000
		}
		return noise(bytes, touches)
	}
	r := newRig(t, Options{Clock: clock})
	r.mustRead(64)
	back = true
	if data, err := r.read(64); len(data) > 0 || !errors.Is(err, errBackward) {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if st := r.s.Status(); st.Restarts != 1 || st.Rung != 1 {
		t.Errorf("%+v", st)
	}
	r.mustRead(64)
}

// TestReestimate: what the running estimates lead to.
func TestReestimate(t *testing.T) {
	for _, c := range []struct {
		name     string
		estimate float64
		rung     int
		restart  bool
		log      string
	}{
		{"good", 3, 0, false, ""},
		{"just enough", 1, 0, false, ""},
		{"below twice the claim", 0.9, 1, false, "claims less from now on"},
		{"far below twice the claim", 0.55, 2, false, "claims less from now on"},
		{"below the claim", 0.45, 1, true, "repeats its start-up test"},
	} {
		r := newRig(t, Options{Clock: noisy(6)})
		e := r.engine()
		estimate := 3.0
		e.estimate = func([]byte) (float64, string) { return estimate, "test" }
		r.mustRead(64)
		estimate = c.estimate
		for e.stream != nil && e.stream.wait == 0 { // until a window has been judged
			r.mustRead(2500)
			if e.ladder.at > 0 {
				break
			}
		}
		st := r.s.Status()
		if st.Rung != c.rung || (st.Restarts == 1) != c.restart {
			t.Errorf("%s: %+v", c.name, st)
		}
		if lines := r.log.Lines(slog.LevelWarn, ""); len(lines) > 1 || (len(lines) == 1) != (c.log != "") || c.log != "" && !strings.Contains(lines[0], c.log) {
			t.Errorf("%s: logged %q", c.name, lines)
		}
	}
}

// TestReestimateAtLowest: below twice the lowest claim there is nothing left but a new start-up test.
func TestReestimateAtLowest(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(7), Claim: 1.0 / 8})
	e := r.engine()
	estimate := 3.0
	e.estimate = func([]byte) (float64, string) { return estimate, "test" }
	r.mustRead(64)
	estimate = 0.2
	r.mustRead(640)
	if e.stream != nil || r.s.Status().Restarts != 1 {
		t.Errorf("%+v", r.s.Status())
	}
	if data, err := r.read(64); len(data) > 0 || sourcetest.Unavailable(err) == nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// TestDriftAlarm: a walk that becomes far more regular than it was, but not worse than claimed, goes
// on one rung lower, with a warning.
func TestDriftAlarm(t *testing.T) {
	clock := noisy(8)
	before, after := jittertest.Noise(8, 1000, 200), jittertest.Noise(9, 300, 14)
	drifted := false
	clock.Step = func(bytes, touches int) float64 {
		if drifted {
			return after(bytes, touches)
		}
		return before(bytes, touches)
	}
	r := newRig(t, Options{Clock: clock})
	r.mustRead(2500)
	if st := r.s.Status(); st.Latest.Estimate < 4 || st.Rung != 0 {
		t.Fatalf("%+v", st)
	}
	drifted = true
	for range 3 {
		r.mustRead(2500)
	}
	st := r.s.Status()
	if st.Drifts != 1 || st.Rung != 1 || st.Alarms != 0 || st.Restarts != 0 || st.Latest.Estimate > 2 {
		t.Errorf("%+v", st)
	}
	if lines := r.log.Lines(slog.LevelWarn, "has dropped since the start-up test"); len(lines) != 1 {
		t.Errorf("logged %q", lines)
	}
}
