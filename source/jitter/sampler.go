package jitter

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// Sampler makes raw samples for an assessor. It credits nothing.
type Sampler struct {
	clock   Clock
	walk    *walk
	scale   scale
	machine Machine
	sigma   float64 // in ticks, of the latest samples
}

// SamplerOptions say how to sample. The zero value stands for what a source would try first.
type SamplerOptions struct {
	Sysfs  linux.Sysfs
	Procfs linux.Procfs

	Profile Profile // zero: the first one for this machine
	Tick    float64 // nanoseconds; 0: the clock's, as measured
	Clock   Clock   // nil: the system's
}

// NewSampler takes memory for the loop and measures the clock.
func NewSampler(opt SamplerOptions) (*Sampler, error) {
	if opt.Clock == nil {
		opt.Clock = newSystemClock()
	}
	s := &Sampler{
		clock: opt.Clock, walk: newWalk(opt.Clock),
		machine: inspect(opt.Sysfs, opt.Procfs, slog.New(slog.DiscardHandler)),
	}
	p := opt.Profile
	if p == (Profile{}) {
		p = profiles(s.machine, 0)[0]
	}
	if p.Buffer < 64 || p.Buffer > maxMemory || p.Buffer&(p.Buffer-1) != 0 || p.Touches < 1 {
		return nil, fmt.Errorf("noise loop of %d touches of %d bytes: need at least one touch of a power of two from 64 to 2^30", p.Touches, p.Buffer)
	}
	tick := opt.Tick
	if tick == 0 {
		tick = probeClock(opt.Clock).tick
	}
	if !(tick >= 1) { // also false for NaN
		return nil, fmt.Errorf("%s: no usable tick (%g ns)", s.machine.clockName(), tick)
	}
	s.scale = newScale(tick)
	if err := s.walk.open(p); err != nil {
		return nil, err
	}
	return s, nil
}

// Capture fills times with when successive samples ended, in nanoseconds without a gap; the first is
// where the first sample begins, so that n+1 times are n samples. It runs as the source does, on a
// thread of its own, after a warm-up.
func (s *Sampler) Capture(ctx context.Context, times []int64) error {
	if len(times) < 2 {
		return fmt.Errorf("capture %d times: a sample needs two", len(times))
	}
	done := make(chan error)
	linux.OnOwnThread(niceLevel, func() { done <- s.capture(ctx, times) })
	if err := <-done; err != nil {
		return err
	}
	deltas := make([]int64, min(len(times)-1, windowSamples))
	for i := range deltas {
		deltas[i] = times[i+1] - times[i]
	}
	if len(deltas) >= quickSamples { // fewer say nothing of their spread
		s.sigma = s.scale.look(deltas).Sigma
	}
	return nil
}

func (s *Sampler) capture(ctx context.Context, times []int64) error {
	last := s.clock.Now()
	deltas := make([]int64, s.walk.chunk())
	for n := 0; n < warmup; n += len(deltas) {
		last = s.walk.run(deltas, last)
	}
	times[0] = last
	for n := 1; n < len(times); {
		part := deltas[:min(len(deltas), len(times)-n)]
		last = s.walk.run(part, last)
		for _, d := range part {
			times[n] = times[n-1] + d
			n++
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Symbols writes the samples between times, as the health tests see them, to dst, which is one shorter
// than times.
func (s *Sampler) Symbols(dst []byte, times []int64) { symbolsOf(dst, times, s.scale) }

func symbolsOf(dst []byte, times []int64, sc scale) {
	for i := range dst {
		delta := [1]int64{times[i+1] - times[i]}
		sc.symbols(dst[i:i+1], delta[:])
	}
}

// Close gives the memory back.
func (s *Sampler) Close() { s.walk.close() }

// Describe returns what a file of captured samples must say of its origin.
func (s *Sampler) Describe() Facts {
	return Facts{Machine: s.machine, Setting: s.walk.profile, Tick: s.scale.tick, Sigma: s.sigma, Claims: newLadder(0).claims}
}

// Facts describe where samples come from.
type Facts struct {
	Machine Machine   `json:"machine"`
	Setting Profile   `json:"setting"`
	Tick    float64   `json:"tick_ns"`
	Sigma   float64   `json:"sigma_ticks"`
	Claims  []float64 `json:"claims"` // the ladder, in bits a sample
	Rung    int       `json:"rung"`   // of the ladder, in force
}

// Describe returns what is known of the source's samples.
func (s *Source) Describe() Facts {
	st := s.Status()
	return Facts{
		Machine: s.machine, Setting: st.Setting, Tick: st.Tick, Sigma: st.Latest.Sigma,
		Claims: newLadder(s.opt.Claim).claims, Rung: st.Rung,
	}
}
