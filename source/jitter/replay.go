package jitter

import (
	"errors"
	"fmt"

	"github.com/hwrngd/hwrngd/source"
)

// ReplayOptions say how to judge recorded times. The zero value stands for the source's own rules.
type ReplayOptions struct {
	Tick  float64 // nanoseconds; 0: found from the times
	Claim float64 // the most bits claimed of a sample, as in Options
}

// Verdict is what the source would have made of recorded times.
type Verdict struct {
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason,omitempty"` // why not

	Tick float64 `json:"tick_ns"`
	Measurement
	Claim  float64 `json:"claim"`  // bits a sample, in force at the end
	Blocks int     `json:"blocks"` // of BlockSize bytes that would have been delivered
	Drifts int     `json:"drifts"`
	Tested int     `json:"tested"` // samples until the end or the failure

	Alarm *source.AlarmError `json:"alarm,omitempty"`
}

// Replay puts recorded times, as Sampler.Capture gives them, through the rules and tests of the source:
// start-up test, health tests, estimates while it runs. What cannot be replayed is the choice of
// another setting.
func Replay(times []int64, opt ReplayOptions) Verdict {
	r := replay{ladder: newLadder(opt.Claim)}
	r.verdict.Tick = opt.Tick
	const need = warmup + startupSamples + windowSamples + startupSamples
	if n := len(times) - 1; n < need {
		return r.refuse(fmt.Sprintf("%d samples are too few: the start-up test takes %d", max(n, 0), need))
	}
	r.deltas = make([]int64, len(times)-1)
	for i := range r.deltas {
		r.deltas[i] = times[i+1] - times[i]
	}
	return r.run()
}

// replay is a replay in progress.
type replay struct {
	deltas  []int64
	ladder  *ladder
	scale   scale
	verdict Verdict
}

// take returns the next n times, fewer at the end.
func (r *replay) take(n int) []int64 {
	n = min(n, len(r.deltas))
	part := r.deltas[:n]
	r.deltas = r.deltas[n:]
	r.verdict.Tested += n
	return part
}

func (r *replay) refuse(reason string) Verdict {
	r.verdict.Accepted, r.verdict.Reason, r.verdict.Claim = false, reason, r.ladder.claim()
	return r.verdict
}

func (r *replay) run() Verdict {
	r.take(warmup)
	first := r.take(startupSamples)
	if r.verdict.Tick == 0 {
		var advances []int64
		for _, d := range first {
			if d > 0 {
				advances = append(advances, d)
			}
		}
		r.verdict.Tick = findTick(advances)
	}
	switch tick := r.verdict.Tick; {
	case tick == 0:
		return r.refuse("the clock does not advance")
	case tick > maxTick:
		return r.refuse(fmt.Sprintf("the clock advances in steps of %s (the limit is %s)", nanoseconds(tick), nanoseconds(maxTick)))
	}
	r.scale = newScale(max(r.verdict.Tick, 1))
	m := r.scale.look(first[:quickSamples])
	if r.scale.fault(m) == "" {
		m = r.scale.assess(r.take(windowSamples), literal)
	}
	r.verdict.Measurement = m
	if fault := r.scale.fault(m); fault != "" {
		return r.refuse(fault)
	}
	if !r.ladder.fit(m.Estimate) {
		return r.refuse(fmt.Sprintf("estimate of %.2f bits (%s) is below twice the lowest claim of %.3g", m.Estimate, m.Method, r.ladder.lowest()))
	}
	s, err := newStream(r.scale, r.ladder.claim(), m.Estimate)
	if err != nil {
		return r.refuse(err.Error())
	}
	if err := s.test(r.take(startupSamples)); err != nil {
		return r.failed(err)
	}
	return r.stream(s)
}

// stream replays what comes after the start-up test.
func (r *replay) stream(s *stream) Verdict {
	for len(r.deltas) > 0 {
		if err := s.add(r.take(min(chunkSamples, s.cond.missing()))); err != nil {
			return r.failed(err)
		}
		if s.cond.missing() == 0 {
			r.verdict.Blocks++
			s.cond.drop()
		}
		if !s.due() {
			continue
		}
		review := s.review(r.ladder, literal)
		r.verdict.Measurement = review.Measurement
		if review.drifted {
			r.verdict.Drifts++
		}
		if review.fault != "" {
			return r.refuse(review.fault)
		}
		if claim := r.ladder.claim(); claim != s.claim {
			next, err := newStream(r.scale, claim, review.Estimate)
			if err != nil {
				return r.refuse(err.Error())
			}
			s = next
		}
	}
	r.verdict.Accepted, r.verdict.Claim = true, r.ladder.claim()
	return r.verdict
}

// failed ends a replay in which a health test raised an alarm.
func (r *replay) failed(err error) Verdict {
	r.verdict.Alarm, _ = errors.AsType[*source.AlarmError](err)
	return r.refuse(err.Error())
}
