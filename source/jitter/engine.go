package jitter

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

const (
	// warmup samples are discarded whenever the loop begins: caches and the frequency of the CPU
	// settle.
	warmup = 256
	// slice is how long the loop runs before it lets other goroutines have the processor.
	slice = 2 * time.Millisecond
	// readTime is after how long a Read returns the blocks that it has.
	readTime = time.Second
)

// engine makes noise into blocks. One goroutine at a time owns it.
type engine struct {
	opt      *Options
	estimate estimator
	machine  Machine
	clock    Clock
	walk     *walk
	ladder   *ladder
	failures failures

	start  *startup // in progress
	stream *stream  // nil: the start-up test is to be done
	warm   bool     // the loop runs without pause since its warm-up
	held   *held    // refusal that stands

	garbage bool // estimates were made since the last rest

	stop   <-chan struct{}
	slept  time.Time // when other goroutines last had the processor
	deltas [chunkSamples]int64
	status Status // what is published at the end of each burst
}

// errStopped reports that nobody waits for the result any more.
var errStopped = context.Canceled

// serve fills dst with fresh blocks, the last one cut off where dst ends, and returns how many bytes
// there are: fewer than asked for if that takes longer than readTime.
func (e *engine) serve(dst []byte) (int, error) {
	if err := e.ready(); err != nil {
		return 0, err
	}
	defer clear(e.deltas[:])
	begin := time.Now()
	n := 0
	for n < len(dst) && (n == 0 || time.Since(begin) < readTime) {
		var block [BlockSize]byte
		if err := e.block(&block); err != nil {
			clear(dst[:n])
			return 0, err
		}
		n += copy(dst[n:], block[:])
		clear(block[:])
	}
	return n, nil
}

// ready sees to it that the loop runs and has been tested.
func (e *engine) ready() error {
	if e.failures.latched != nil {
		return e.failures.latched
	}
	if err := e.checkClock(); err != nil {
		return err
	}
	if e.stream == nil {
		if err := e.startup(); err != nil {
			return err
		}
	}
	return e.open(e.status.Setting)
}

// open makes the loop run at that setting.
func (e *engine) open(p Profile) error {
	if e.warm && p == e.walk.profile {
		return nil
	}
	e.warm = false
	if err := e.walk.open(p); err != nil {
		return &source.UnavailableError{
			Reason: err.Error(), Err: err,
			Hint: "give the daemon more memory, or let the jitter source take less",
		}
	}
	var discard [warmup]int64
	if err := e.collect(discard[:]); err != nil {
		return err
	}
	e.warm = true
	return nil
}

// rest gives the loop's memory back.
func (e *engine) rest() {
	e.walk.close()
	e.warm = false
}

// collect fills deltas with the times of successive samples.
func (e *engine) collect(deltas []int64) error {
	for len(deltas) > 0 {
		n := min(len(deltas), e.walk.chunk())
		e.walk.run(deltas[:n], e.clock.Now())
		deltas = deltas[n:]
		if err := e.breathe(); err != nil {
			return err
		}
	}
	return nil
}

// breathe lets others run now and then, and tells whether to stop.
func (e *engine) breathe() error {
	if now := time.Now(); now.Sub(e.slept) >= slice {
		runtime.Gosched()
		e.slept = time.Now()
	}
	select {
	case <-e.stop:
		return errStopped
	default:
		return nil
	}
}

// block makes one block. The samples of a block that was interrupted are not used.
func (e *engine) block(dst *[BlockSize]byte) (err error) {
	s := e.stream
	made := 0
	for err == nil && s.cond.missing() > 0 {
		n := min(s.cond.missing(), e.walk.chunk())
		e.walk.run(e.deltas[:n], e.clock.Now())
		made += n
		e.status.Samples += uint64(n)
		if err = s.add(e.deltas[:n]); err != nil {
			err = e.fail(err)
		} else {
			err = e.breathe()
		}
	}
	e.opt.Recorder.HealthSamples(made)
	if err != nil {
		s.cond.drop()
		return err
	}
	s.cond.block(dst)
	e.status.Blocks++
	return nil
}

// fail acts on a failure of the running tests: everything is dropped, the start-up test is due, and
// the claim goes down a step.
func (e *engine) fail(err error) error {
	if alarm, ok := errors.AsType[*source.AlarmError](err); ok {
		e.opt.Recorder.HealthFailure(alarm.Test, alarm.Verdict)
	}
	e.status.Alarms++
	e.failures.alarm(err, e.status.Samples, isPermanent(err))
	e.restart()
	e.ladder.down()
	if e.failures.latched != nil {
		return e.failures.latched
	}
	return err
}

// restart makes the start-up test due.
func (e *engine) restart() {
	if e.stream != nil {
		e.stream.drop()
		e.stream = nil
	}
	clear(e.deltas[:])
	e.start = nil
	e.status.Restarts++
}

// checkClock notices that the kernel put another clocksource in place, as it does when it finds the
// present one unstable: ticks and all that was measured in them are then another's.
func (e *engine) checkClock() error {
	name, err := e.opt.Sysfs.Clocksource()
	if err != nil || name == e.machine.Clocksource {
		return nil
	}
	old := e.machine.Clocksource
	e.machine.Clocksource = name
	e.held = nil
	if e.stream == nil {
		e.start = nil
		return nil
	}
	e.restart()
	return &source.ChangedError{What: "clocksource", From: old, To: name}
}

// reestimate takes a new estimate where one is due, after the blocks have been handed over.
func (e *engine) reestimate() {
	s := e.stream
	if s == nil || !s.due() {
		return
	}
	e.garbage = true
	r := s.review(e.ladder, e.estimate)
	e.status.Latest = r.Measurement
	attrs := []any{"estimate", round3(r.Estimate), "by", r.Method, "claim", round3(s.claim)}
	if r.drifted {
		e.status.Drifts++
		e.opt.Log.Warn("jitter of the noise loop has dropped since the start-up test", attrs...)
	}
	if r.fault != "" {
		e.opt.Log.Warn("jitter source repeats its start-up test", append(attrs, "reason", r.fault)...)
		e.failures.alarm(errors.New(r.fault), e.status.Samples, false)
		e.restart()
		return
	}
	if claim := e.ladder.claim(); claim != s.claim {
		e.opt.Log.Warn("jitter source claims less from now on", append(attrs, "new_claim", round3(claim))...)
		// The claim is in range, so there is no error.
		_ = e.run(s.scale, r.Measurement)
	}
}
