package jitter

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
)

// deltasOf lists the times of n samples on a clock.
func deltasOf(c *jittertest.Clock, n int) []int64 {
	times := jittertest.Times(c, n)
	deltas := make([]int64, n)
	for i := range deltas {
		deltas[i] = times[i+1] - times[i]
	}
	return deltas
}

// TestSigmaOfNoise: the figure is right for noise, however coarse the clock, and in spite of
// interruptions and slow drift.
func TestSigmaOfNoise(t *testing.T) {
	for _, sigmaNs := range []float64{20, 50, 200} {
		for _, tick := range []float64{1, 10, sigmaNs / 2, sigmaNs} {
			step := jittertest.Noise(1, 1000, sigmaNs)
			samples := 0
			drifting := func(bytes, touches int) float64 {
				samples++
				return step(bytes, touches) + float64(samples)/20
			}
			for _, n := range []int{quickSamples, startupSamples, windowSamples} {
				got := sigma(deltasOf(&jittertest.Clock{Tick: tick, ReadTime: 20, Step: drifting}, n))
				// Few samples make few independent long sums, of which the smallest counts.
				low := map[int]float64{quickSamples: 0.6, startupSamples: 0.6, windowSamples: 0.8}[n]
				if got < low*sigmaNs || got > 1.2*sigmaNs+tick/2 {
					t.Errorf("noise of %v ns, tick %v ns, %d samples: got %.1f", sigmaNs, tick, n, got)
				}
			}
		}
	}
}

// TestSigmaOfRegular: beats and sines count for less than half a tick or so, whatever their size.
func TestSigmaOfRegular(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		tick := 5 + 100*rng.Float64()
		mean := tick * (20 + 40*rng.Float64())
		amplitude := tick * 8 * rng.Float64() * rng.Float64()
		f1, f2 := 0.5*rng.Float64(), 0.5*rng.Float64()
		for name, step := range map[string]func(int, int) float64{
			"beat":     jittertest.Constant(mean),
			"two-tone": jittertest.TwoTone(mean, amplitude, f1, f2),
		} {
			got := sigma(deltasOf(&jittertest.Clock{Tick: tick, Step: step}, startupSamples)) / tick
			if got > 0.8 {
				t.Errorf("%s of %.2f ticks, amplitude %.2f, frequencies %.4f, %.4f: sigma is %.2f ticks", name, mean/tick, amplitude/tick, f1, f2, got)
			}
		}
	}
}

func TestSigmaOfConstant(t *testing.T) {
	deltas := make([]int64, quickSamples)
	if got := sigma(deltas); got != 0 {
		t.Errorf("all zero: %v", got)
	}
	for i := range deltas {
		deltas[i] = 811
	}
	if got := sigma(deltas); got != 0 {
		t.Errorf("all 811: %v", got)
	}
	deltas[100] = math.MaxInt32
	if got := sigma(deltas); got != 0 {
		t.Errorf("one interruption: %v", got)
	}
}

// TestPhaseBound compares with figures from simulation: an observer who knows the phase of the clock
// guesses a sample with jitter of 1, 2 and 4 ticks with 1.44, 2.36 and 3.33 bits.
func TestPhaseBound(t *testing.T) {
	for sigmaTicks, want := range map[float64]float64{1: 1.44, 1.5: 1.96, 2: 2.36, 4: 3.33} {
		if got := phaseBound(sigmaTicks); got > want+0.01 || got < want-0.15 {
			t.Errorf("%v ticks: %.2f, simulated %.2f", sigmaTicks, got, want)
		}
	}
}
