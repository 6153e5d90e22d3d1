package jitter

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
)

// ticks of clocks in the field, in nanoseconds.
var ticks = []float64{
	1,
	4.27,
	8, 10,
	10.0154,  // TSC in steps of 26 cycles of 2.596 GHz
	1e3 / 54, // ARM boards
	1e3 / 38.4, 40,
	1e3 / 24,
	1e3 / 19.2,
	1e9 / 14318180.0, // HPET
	100,              // Hyper-V reference time
	1e9 / 3579545.0,  // ACPI PM timer
	1e3, 1e4, 4e6, 1e7,
}

func TestTickOfProbedClock(t *testing.T) {
	for _, tick := range ticks {
		p := probeClock(&jittertest.Clock{Tick: tick, ReadTime: 22, Spread: 70})
		if math.Abs(p.tick/tick-1) > 0.005 {
			t.Errorf("tick %.4f, want %.4f", p.tick, tick)
		}
		if p.reads > probeLimit || tick < 1e6 && p.advance < probeSteps {
			t.Errorf("tick %.4f: %d reads, %d advances", tick, p.reads, p.advance)
		}
	}
}

// TestTickOfWalk finds ticks from the times of a noise loop alone, as a replay must.
func TestTickOfWalk(t *testing.T) {
	for _, tick := range ticks {
		if tick == 4.27 || tick > 1e4 { // lost in rounding; nothing but one step here and there
			continue
		}
		clock := &jittertest.Clock{Tick: tick, ReadTime: 22, Step: jittertest.Noise(1, 300, 50)}
		if tick == 1e4 {
			clock.Step = jittertest.Noise(1, 10000, 50)
		}
		var deltas []int64
		for times := jittertest.Times(clock, 4096); len(times) > 1; times = times[1:] {
			if d := times[1] - times[0]; d > 0 {
				deltas = append(deltas, d)
			}
		}
		if got := findTick(deltas); math.Abs(got/tick-1) > 0.005 {
			t.Errorf("tick %.4f, want %.4f", got, tick)
		}
	}
}

// TestTickIsNotDivisor: the greatest common divisor of these is 1.
func TestTickIsNotDivisor(t *testing.T) {
	deltas := []int64{20, 20, 20, 30, 30, 31, 40, 40, 20, 30, 50, 51, 60, 20, 30, 70}
	if got := findTick(deltas); math.Abs(got-10) > 0.1 {
		t.Errorf("tick %v", got)
	}
}

func TestTickOfNothing(t *testing.T) {
	if got := findTick(nil); got != 0 {
		t.Errorf("no deltas: %v", got)
	}
	if got := findTick([]int64{4_000_000}); got != 4_000_000 {
		t.Errorf("one delta: %v", got)
	}
	p := probeClock(&jittertest.Clock{})
	if p.tick != 0 || p.advance != 0 || p.reads != probeLimit {
		t.Errorf("stopped clock: %+v", p)
	}
}

// TestTickWithOutliers: interruptions of any length, one read in fifty, change nothing.
func TestTickWithOutliers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var deltas []int64
	for i := range 4000 {
		d := int64(1e3/24*float64(1+rng.IntN(6)) + rng.Float64())
		if i%50 == 0 {
			d += rng.Int64N(100000)
		}
		deltas = append(deltas, d)
	}
	if got := findTick(deltas); math.Abs(got-1e3/24) > 0.3 {
		t.Errorf("tick %v", got)
	}
}

func FuzzTick(f *testing.F) {
	f.Add(int64(20), int64(31), int64(41), uint16(10))
	f.Add(int64(1), int64(math.MaxInt64), int64(4), uint16(1))
	f.Fuzz(func(t *testing.T, a, b, c int64, n uint16) {
		var deltas []int64
		for i := range int64(n%2000) + 1 {
			for _, d := range []int64{a, b + i, c - i} {
				if d > 0 {
					deltas = append(deltas, d)
				}
			}
		}
		if tick := findTick(deltas); (tick == 0) != (len(deltas) == 0) || tick != 0 && !(tick >= 1) || math.IsInf(tick, 0) {
			t.Errorf("tick %v of %d deltas", tick, len(deltas))
		}
	})
}
