package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/jitter"
)

// noiseClock makes the clock of a noise loop; nil is the system's. Tests put simulations in its place.
var noiseClock = func() jitter.Clock { return nil }

// leastRow is how many samples a sampler makes at least: it measures the jitter of a row, which takes
// some. Of a shorter row the first ones are written.
const leastRow = 1024

// guessFrom is how many samples a row has at least to be worth a look at how long they take.
const guessFrom = 1 << 20

// captureJitter writes the rows of a capture. For each row a new sampler takes new memory on a new
// thread and drops the samples of a warm-up, as the source does at its start. The tick of the clock is
// found once, for the source would give all rows the same.
func captureJitter(ctx context.Context, cfg *Config, opt *captureOptions, out io.Writer, count *tally) (*jitter.Facts, error) {
	options := jitter.SamplerOptions{Sysfs: linux.Sysfs(cfg.Sysfs), Procfs: linux.Procfs(cfg.Procfs)}
	if err := settleSampler(ctx, &options, opt, count); err != nil {
		return nil, err
	}
	var facts *jitter.Facts
	times := make([]int64, max(opt.samples, leastRow)+1)
	payload := make([]byte, 0, 8*(opt.samples+1))
	for range max(opt.rows, 1) {
		sampler, err := newSampler(options)
		if err != nil {
			return facts, err
		}
		err = sampler.Capture(ctx, times)
		if err == nil {
			if facts == nil {
				f := sampler.Describe()
				facts = &f
			}
			_, err = out.Write(encodeRow(payload, times[:opt.samples+1], opt.format, sampler))
		}
		sampler.Close()
		if err != nil {
			return facts, err
		}
		count.done.Add(int64(opt.samples))
	}
	return facts, nil
}

// encodeRow appends the samples, or for format u64 the times, to dst.
func encodeRow(dst []byte, times []int64, format string, sampler *jitter.Sampler) []byte {
	if format == formatU64 {
		for _, t := range times {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(t))
		}
		return dst
	}
	symbols := dst[:len(times)-1]
	sampler.Symbols(symbols, times)
	return symbols
}

// settleSampler fills in what all rows have in common.
func settleSampler(ctx context.Context, options *jitter.SamplerOptions, opt *captureOptions, count *tally) error {
	sampler, err := newSampler(*options)
	if err != nil {
		return err
	}
	defer sampler.Close()
	facts := sampler.Describe()
	options.Profile, options.Tick = facts.Setting, facts.Tick
	if opt.memory > 0 {
		options.Profile.Buffer = opt.memory
	}
	if opt.touches > 0 {
		options.Profile.Touches = opt.touches
	}
	if opt.samples < guessFrom {
		return nil
	}
	// A capture tells nothing before it is done, so the progress of a long one is a guess.
	pinned, err := newSampler(*options)
	if err != nil {
		return err
	}
	defer pinned.Close()
	trial := make([]int64, 1<<14)
	if err := pinned.Capture(ctx, trial); err != nil {
		return err
	}
	begin, perSample := time.Now(), float64(trial[len(trial)-1]-trial[0])/float64(len(trial)-1)
	guess := func() int64 {
		made := int64(float64(time.Since(begin)) / max(perSample, 1))
		return min(max(made-count.done.Load(), 0), int64(opt.samples)-1)
	}
	count.guess.Store(&guess)
	return nil
}

// newSampler makes a sampler and says what it means if there is none.
func newSampler(options jitter.SamplerOptions) (*jitter.Sampler, error) {
	options.Clock = noiseClock()
	sampler, err := jitter.NewSampler(options)
	if err == nil {
		return sampler, nil
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return nil, exitErrorf(exitOS, "use less memory: --memory", "%w", err)
	}
	return nil, exitErrorf(exitUnavailable, "jitter is not possible with this clock; 'hwrngd list' says more", "capture jitter: %w", err)
}
