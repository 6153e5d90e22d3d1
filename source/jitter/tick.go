package jitter

import (
	"math"
	"runtime"
	"slices"
)

const (
	// probeReads is how often the clock is read to find its tick.
	probeReads = 4096
	// probeLimit bounds the reads of a clock that hardly advances: at 20 ns a read it sees a clock of
	// 100 Hz advance twice. It counts reads, not time, since the clock may stand still.
	probeLimit = 1 << 20
	// probeSteps is how many steps of a coarse clock are enough.
	probeSteps = 16

	// maxTick is the coarsest clock that can work at all: the jitter of a loop of 100 microseconds
	// does not come near 10 microseconds. In nanoseconds.
	maxTick = 10_000
	// sigmaFloor is the least tick, in nanoseconds, in which jitter is measured. The kernel turns
	// the counts of its clocksource into nanoseconds. Below 4 ns its rounding by 1 ns hides the tick,
	// and part of what looks like jitter is that rounding, which depends on nothing but the count.
	sigmaFloor = 4
)

// probe is what reading the clock back to back tells of it.
type probe struct {
	tick    float64 // effective tick in nanoseconds, 0 if the clock stands still
	read    float64 // median time of one read in nanoseconds
	reads   int
	advance int // reads that saw the clock advance
}

// probeClock reads the clock with a little work of changing length between reads, so that deltas
// spread over many multiples of the tick.
func probeClock(c Clock) probe {
	deltas := make([]int64, 0, probeReads)
	plain := make([]int64, 0, probeReads/8) // without work
	p := probe{}
	var spin uint32
	last := c.Now()
	for p.reads < probeReads || p.advance < probeSteps && p.reads < probeLimit {
		n := p.reads * 7 % 64
		if p.reads >= probeReads {
			n = 0
		}
		for range n {
			spin = spin*1664525 + 1013904223
		}
		now := c.Now()
		delta := now - last
		last = now
		p.reads++
		if n == 0 && len(plain) < cap(plain) {
			plain = append(plain, delta)
		}
		if delta > 0 {
			p.advance++
			if len(deltas) < cap(deltas) {
				deltas = append(deltas, delta)
			}
		}
	}
	runtime.KeepAlive(spin) // or the work is optimised away
	slices.Sort(plain)
	p.read = float64(plain[len(plain)/2])
	p.tick = findTick(deltas)
	return p
}

// findTick returns the effective tick of the clock that these positive deltas were read from, in
// nanoseconds: the largest of which nearly all deltas are multiples. It is not their greatest common
// divisor, which is 1 for a counter of 100 MHz read in nanoseconds of 10, 20, 31 and 40. Too large a
// tick costs output, never safety: it merges values. It sorts deltas.
func findTick(deltas []int64) float64 {
	if len(deltas) == 0 {
		return 0
	}
	slices.Sort(deltas)
	values, counts := distinct(deltas)
	// The tick is a value, the distance of some two, or a whole fraction of a long distance: those are
	// the more exact ones.
	var candidates []float64
	near := values[:min(len(values), 32)]
	for i, a := range near {
		candidates = append(candidates, float64(a))
		for _, b := range near[:i] {
			candidates = append(candidates, float64(a-b))
		}
	}
	long := float64(near[len(near)-1] - near[0])
	for n := 2.0; n <= 256 && long/n >= sigmaFloor; n++ {
		candidates = append(candidates, long/n)
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	for _, c := range slices.Backward(candidates) {
		if c < sigmaFloor {
			break
		}
		if tick, ok := fitTick(c, values, counts); ok {
			return tick
		}
	}
	return 1
}

// distinct returns the values of a sorted list and how often each occurs, up to the point where one
// in twenty is larger: those were interrupted.
func distinct(sorted []int64) (values []int64, counts []int) {
	for _, d := range sorted[:max(len(sorted)*19/20, 1)] {
		if n := len(values); n > 0 && values[n-1] == d {
			counts[n-1]++
		} else if n < 128 {
			values, counts = append(values, d), append(counts, 1)
		}
	}
	return values, counts
}

// fitTick improves a tick that is right to a few percent, from small values to large ones, and tells
// whether at least 99 % of the values are multiples of the result: to a nanosecond, which is what
// rounding costs, or 2 % of the tick.
func fitTick(tick float64, values []int64, counts []int) (float64, bool) {
	total := 0
	for _, n := range counts {
		total += n
	}
	const rounding = 1.1 // with a little for a tick that is not exact
	for pass := range 3 {
		slack := max(rounding, tick/50)
		if pass == 0 {
			slack = max(slack, tick/8)
		}
		var dn, nn float64
		missed := 0
		fitted := tick
		for i, v := range values {
			d, weight := float64(v), float64(counts[i])
			n := math.Round(d / fitted)
			if n == 0 || math.Abs(d-n*fitted) > slack {
				if missed += counts[i]; missed*100 > total {
					return 0, false
				}
				continue
			}
			dn += weight * d * n
			nn += weight * n * n
			if pass == 0 {
				fitted = dn / nn
			}
		}
		tick = dn / nn
	}
	return tick, tick >= sigmaFloor
}
