package jitter

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

const (
	// quickSamples are enough to see that the clock is too coarse for a setting.
	quickSamples = 1024
	// clockHold is how long a clock that was too coarse is not looked at again, unless the kernel
	// changes its clocksource. Early in boot it often does.
	clockHold = time.Minute
	// startupHold is the pause after a failed start-up test; the second is longer by startupHoldStep.
	startupHold     = 10 * time.Second
	startupHoldStep = 50 * time.Second
	// paceSamples tell how long a sample takes.
	paceSamples = 64
)

// startup is a start-up test in progress. It outlives a Read that gave up on it, since on a slow
// machine an estimate can take longer than anybody waits.
type startup struct {
	probe  probe
	scale  scale
	list   []Profile
	paced  bool // list is in the order for this machine's pace
	next   int  // in list
	trials []trial
}

// held is a refusal that stands until its time is up.
type held struct {
	err   *source.UnavailableError
	until time.Time
}

// startup makes the start-up test: the clock, the setting of the loop, the claim, the health tests,
// in this order. Samples of it never become output.
func (e *engine) startup() error {
	if e.held != nil && time.Now().Before(e.held.until) {
		return e.held.err
	}
	e.held = nil
	if err := selfTest(); err != nil {
		e.failures.latch(err.Error())
		return e.failures.latched
	}
	if e.start == nil {
		p := probeClock(e.clock)
		e.start = &startup{probe: p, scale: newScale(max(p.tick, 1)), list: profiles(e.machine, e.opt.Memory)}
		if p.read > 1000 {
			e.opt.Log.Info("reading the clock is slow, it takes a system call", "clocksource", e.machine.Clocksource, "ns", p.read)
		}
	}
	st := e.start
	switch {
	case st.probe.tick == 0:
		return e.refuseClock(fmt.Sprintf("%s did not advance in %d reads", e.machine.clockName(), st.probe.reads))
	case st.probe.tick > maxTick:
		return e.refuseClock(fmt.Sprintf("%s advances in steps of %s, too coarse for any noise loop (the limit is %s)",
			e.machine.clockName(), nanoseconds(st.probe.tick), nanoseconds(maxTick)))
	}
	chosen, err := e.choose(st)
	if err != nil {
		return err
	}
	if chosen.Touches == 0 { // none
		return e.refuseClock(st.exhausted(e.machine))
	}
	return e.admit(chosen)
}

// choose tries settings until one has the comfortable margin, or all have been tried, and returns the
// best one, with an estimate over a long window: some look better for a short while than they are.
func (e *engine) choose(st *startup) (trial, error) {
	for {
		if err := e.tryAll(st); err != nil {
			return trial{}, err
		}
		i := choose(st.trials, e.ladder.claim())
		if i < 0 {
			return trial{}, nil
		}
		if st.trials[i].confirmed {
			return st.trials[i], nil
		}
		t, err := e.try(st, st.trials[i].Profile, windowSamples)
		if err != nil {
			return trial{}, err
		}
		st.trials[i] = t
	}
}

// tryAll tries one setting after the other until one is good enough.
func (e *engine) tryAll(st *startup) error {
	if err := e.pace(st); err != nil {
		return err
	}
	for ; st.next < len(st.list); st.next++ {
		if _, ok := best(st.trials, comfort*e.ladder.claim()); ok {
			return nil
		}
		p := st.list[st.next]
		if n := len(st.trials); n > 0 && st.trials[n-1].tooSlow(p) {
			continue
		}
		t, err := e.try(st, p, startupSamples)
		if err != nil {
			return err
		}
		st.trials = append(st.trials, t)
	}
	return nil
}

// pace puts the cheap settings first if the one that would be tried first takes long.
func (e *engine) pace(st *startup) error {
	if st.paced || st.list[0].Touches <= cheapTouches {
		return nil
	}
	if err := e.open(st.list[0]); err != nil {
		return err
	}
	deltas := make([]int64, paceSamples)
	defer clear(deltas)
	if err := e.collect(deltas); err != nil {
		return err
	}
	if st.scale.look(deltas).Median > slowSample {
		st.list = cheapFirst(st.list)
	}
	st.paced = true
	return nil
}

// try measures one setting over so many samples.
func (e *engine) try(st *startup, p Profile, samples int) (trial, error) {
	t := trial{Profile: p, confirmed: samples >= windowSamples}
	if err := e.open(p); err != nil {
		return t, err
	}
	deltas := make([]int64, samples)
	defer clear(deltas)
	if err := e.collect(deltas[:quickSamples]); err != nil {
		return t, err
	}
	if t.Measurement = st.scale.look(deltas[:quickSamples]); st.scale.fault(t.Measurement) == "" {
		if err := e.collect(deltas[quickSamples:]); err != nil {
			return t, err
		}
		e.garbage = true
		t.Measurement = st.scale.assess(deltas, e.estimate)
	}
	t.fault = st.scale.fault(t.Measurement)
	e.opt.Log.Debug("jitter setting tried", "setting", p.String(), "samples", t.Samples, "ns", t.Median,
		"sigma_ticks", round3(t.Sigma), "estimate", round3(t.Estimate), "by", t.Method, "fault", t.fault)
	return t, nil
}

// admit settles the claim and puts the chosen setting through the health tests.
func (e *engine) admit(chosen trial) error {
	st, m := e.start, chosen.Measurement
	if !e.ladder.fit(m.Estimate) {
		return e.refuse(fmt.Sprintf("the noise loop shows %.2f bits of min-entropy a sample (%s), and twice the lowest claim of %.3g is needed; with %s, the best of %d settings",
			m.Estimate, m.Method, e.ladder.lowest(), chosen.Profile, len(st.trials)))
	}
	if err := e.open(chosen.Profile); err != nil {
		return err
	}
	deltas := make([]int64, startupSamples)
	defer clear(deltas)
	if err := e.collect(deltas); err != nil {
		return err
	}
	if err := e.run(st.scale, m); err != nil {
		return err
	}
	err := e.stream.test(deltas)
	e.opt.Recorder.HealthSamples(len(deltas))
	if err != nil {
		if alarm, ok := errors.AsType[*source.AlarmError](err); ok {
			e.opt.Recorder.HealthFailure(alarm.Test, alarm.Verdict)
		}
		if e.restart(); isPermanent(err) {
			e.failures.alarm(err, e.status.Samples, true)
			return e.failures.latched
		}
		return e.refuse("the start-up test failed: " + err.Error())
	}
	e.failures.startup("")
	e.start = nil
	e.status.Tick, e.status.Setting = st.scale.tick, chosen.Profile
	e.opt.Log.Info("jitter noise loop chosen", "setting", chosen.Profile.String(), "tick", nanoseconds(st.scale.tick),
		"sigma_ticks", round3(m.Sigma), "estimate", round3(m.Estimate), "by", m.Method, "claim", round3(e.ladder.claim()),
		"samples_per_block", samplesPerBlock(e.ladder.claim()))
	return nil
}

// run begins a stream at the claim in force.
func (e *engine) run(s scale, m Measurement) error {
	stream, err := newStream(s, e.ladder.claim(), m.Estimate)
	if err != nil {
		return err
	}
	stream.health.tell(e.opt.Recorder)
	e.stream = stream
	e.status.Latest = m
	return nil
}

// refuseClock says that nothing can be done with this clock. It is not held against the source.
func (e *engine) refuseClock(reason string) error {
	return e.hold(clockHold, &source.UnavailableError{
		Reason: "jitter refused: " + reason + ". No entropy will be credited from this source",
		Hint:   e.machine.clockHint(),
	})
}

// refuse reports a failed start-up test.
func (e *engine) refuse(reason string) error {
	e.failures.startup(reason)
	if e.failures.latched != nil {
		return e.failures.latched
	}
	pause := startupHold + time.Duration(e.failures.startups-1)*startupHoldStep
	return e.hold(pause, &source.UnavailableError{
		Reason: "jitter refused: " + reason + ". No entropy will be credited from this source",
		Hint:   "use a hardware generator; the source is tested again",
	})
}

func (e *engine) hold(pause time.Duration, err *source.UnavailableError) error {
	e.start = nil
	e.held = &held{err, time.Now().Add(pause)}
	return err
}

// exhausted says why no setting suits the clock, and what was tried.
func (st *startup) exhausted(m Machine) string {
	var tried []string
	for _, t := range st.trials {
		tried = append(tried, fmt.Sprintf("%s: %s", t.Profile, t.fault))
	}
	return fmt.Sprintf("%s advances in steps of %s; %s", m.clockName(), nanoseconds(st.scale.tick), strings.Join(tried, "; "))
}

// nanoseconds renders a time for people.
func nanoseconds(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.3g ns", ns)
	}
	return time.Duration(math.Round(ns)).String()
}

func round3(x float64) float64 { return math.Round(x*1000) / 1000 }
