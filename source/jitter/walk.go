package jitter

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
)

const (
	// chunkSamples is how many samples are made before they are tested, at most.
	chunkSamples = 256
	// chunkTouches bounds the work in one go to about a millisecond.
	chunkTouches = 1 << 14
)

// Profile is a setting of the noise loop.
type Profile struct {
	Buffer  int `json:"buffer_bytes"` // a power of two
	Touches int `json:"touches"`      // of the buffer, a sample
}

func (p Profile) String() string {
	size, unit := p.Buffer>>10, "KiB"
	if size >= 1<<10 {
		size, unit = size>>10, "MiB"
	}
	return fmt.Sprintf("%d touches of %d %s", p.Touches, size, unit)
}

// walk is the noise loop: it changes bytes all over a buffer that no near cache can hold and reads
// the clock. How long that takes depends on the state of caches, translation buffers and memory,
// on what other cores do, and on the phases of their clocks.
//
// Nothing else is in the loop. Branches that depend on data would make the times vary far more and
// the estimates rise, but what a mispredicted branch costs follows from the data: that is no noise.
type walk struct {
	clock   Clock
	base    time.Time // of a system clock
	sim     Simulator // nil: real work
	memory  []byte
	shift   int
	profile Profile
	address uint32
}

func newWalk(c Clock) *walk {
	w := &walk{clock: c}
	if s, ok := c.(*systemClock); ok {
		w.base = s.base
	}
	w.sim, _ = c.(Simulator)
	return w
}

// open gets memory for the profile, if it is not at hand, and touches all its pages, so that no time
// measured later holds a page fault.
func (w *walk) open(p Profile) error {
	w.profile.Touches = p.Touches
	if p.Buffer == w.profile.Buffer && w.memory != nil {
		return nil
	}
	w.close()
	w.profile = p
	w.shift = 32 - bits.TrailingZeros32(uint32(p.Buffer))
	if w.sim != nil {
		return nil
	}
	memory, err := linux.MapMemory(p.Buffer)
	if err != nil {
		return fmt.Errorf("get %d bytes for the noise loop: %w", p.Buffer, err)
	}
	const page = 4096 // the smallest of any architecture
	for i := 0; i < len(memory); i += page {
		memory[i] = byte(i / page)
	}
	w.memory = memory
	return nil
}

// chunk returns how many samples to make in one go.
func (w *walk) chunk() int { return max(1, min(chunkSamples, chunkTouches/w.profile.Touches)) }

// close gives the memory back.
func (w *walk) close() {
	if w.memory != nil {
		// Fails only for memory that was never mapped.
		_ = linux.UnmapMemory(w.memory)
		w.memory = nil
	}
}

// run fills deltas with the times, in nanoseconds, that successive samples take, the first counted from
// last, and returns when the last one ended.
func (w *walk) run(deltas []int64, last int64) int64 {
	switch {
	case w.sim != nil:
		for i := range deltas {
			w.sim.Work(w.profile.Buffer, w.profile.Touches)
			now := w.sim.Now()
			deltas[i], last = now-last, now
		}
	case w.base.IsZero():
		for i := range deltas {
			w.touch(last)
			now := w.clock.Now()
			deltas[i], last = now-last, now
		}
	default:
		// The same with the system clock in place, without a call through an interface.
		for i := range deltas {
			w.touch(last)
			now := int64(time.Since(w.base))
			deltas[i], last = now-last, now
		}
	}
	return last
}

// touch does the work of one sample: addresses come from a linear congruential generator (the
// multiplier is that of Numerical Recipes), whose state takes in the time each sample ended, so
// that no walk repeats another. Its upper bits choose the byte; those of lower order have
// short periods.
func (w *walk) touch(now int64) {
	address := w.address ^ uint32(now)
	memory, shift := w.memory, w.shift&31
	for range w.profile.Touches {
		address = address*1664525 + 1013904223
		memory[address>>shift]++
	}
	w.address = address
}
