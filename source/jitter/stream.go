package jitter

import (
	"errors"
	"math/rand/v2"

	"github.com/hwrngd/hwrngd/source"
)

const (
	// startupSamples is how many samples an estimate before the first block takes. SP 800-90B section
	// 4.3 asks for 1024 through the health tests; 4096 are the fewest that tell a regular process from
	// a noisy one.
	startupSamples = 4096
	// windowSamples is how many samples an estimate takes while the source runs, and before a claim
	// with less than the comfortable margin is believed.
	windowSamples = 16384
	// windowEvery is about how many samples go by between two such windows.
	windowEvery = 1 << 18
)

// errBackward reports that the clock went back.
var errBackward = errors.New("the clock of the noise loop went back")

// stream takes the times of one setting through tests and conditioning. Daemon and replay share it.
type stream struct {
	scale  scale
	claim  float64
	health *health
	drift  *drift
	cond   *conditioner

	drifted bool    // since the last estimate
	window  []int64 // times for the next estimate
	wait    int     // samples until they are taken

	buf [chunkSamples]byte
}

func newStream(s scale, claim, estimate float64) (*stream, error) {
	h, err := newHealth(claim)
	if err != nil {
		return nil, err
	}
	return &stream{scale: s, claim: claim, health: h, drift: newDrift(estimate), cond: newConditioner(claim)}, nil
}

// test puts times through the health tests, without using them further. It returns an alarm,
// errBackward or nil.
func (s *stream) test(deltas []int64) error {
	var worst *source.AlarmError
	for len(deltas) > 0 {
		n := min(len(deltas), len(s.buf))
		for _, d := range deltas[:n] {
			if d < 0 {
				return errBackward
			}
		}
		s.scale.symbols(s.buf[:n], deltas[:n])
		if alarm := s.health.add(s.buf[:n]); alarm != nil && (worst == nil || alarm.Verdict > worst.Verdict) {
			worst = alarm
		}
		deltas = deltas[n:]
	}
	if worst != nil {
		return worst
	}
	return nil
}

// add tests at most chunkSamples times and takes them into the block in hand, which must have room
// for them.
func (s *stream) add(deltas []int64) error {
	if err := s.test(deltas); err != nil {
		return err
	}
	samples := s.buf[:len(deltas)]
	if s.drift.add(samples) && !s.drifted {
		s.drifted = true
		s.wait = 0 // the next estimate begins now
	}
	s.cond.add(samples, deltas)
	s.watch(deltas)
	return nil
}

// watch collects times for the next estimate.
func (s *stream) watch(deltas []int64) {
	if s.wait > 0 {
		s.wait -= len(deltas)
		return
	}
	if s.window == nil {
		s.window = make([]int64, 0, windowSamples)
	}
	s.window = append(s.window, deltas[:min(len(deltas), cap(s.window)-len(s.window))]...)
}

// due tells whether there are enough times for an estimate.
func (s *stream) due() bool { return len(s.window) == windowSamples }

// review is what an estimate of a running stream leads to.
type review struct {
	Measurement
	drifted bool   // the drift alarm had asked for it
	fault   string // the start-up test is to be repeated because of this, "" if not
}

// review takes the estimate that is due and moves the claim down the ladder as far as that asks for:
// one step for a drift, one more for each claim of which the estimate has not twice as much. The next
// window comes after a pause of random length.
func (s *stream) review(l *ladder, estimate estimator) review {
	r := review{Measurement: s.scale.assess(s.window, estimate), drifted: s.drifted}
	clear(s.window)
	s.window, s.drifted = nil, false
	s.wait = windowEvery/2 + rand.N(windowEvery)
	if r.fault = s.scale.fault(r.Measurement); r.fault == "" && r.Estimate < s.claim {
		r.fault = "the running estimate is below the claim"
	}
	if r.drifted || r.fault != "" {
		l.down()
	}
	if r.fault == "" && !l.fit(r.Estimate) {
		r.fault = "the running estimate is below twice the lowest claim"
	}
	if r.drifted {
		s.drift = newDrift(r.Estimate)
	}
	return r
}

// drop forgets everything that could become output.
func (s *stream) drop() {
	s.cond.drop()
	clear(s.buf[:])
	clear(s.window)
	s.window = nil
}
