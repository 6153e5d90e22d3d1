package jittertest

import (
	"math"
	"math/rand/v2"
)

// The functions here make Steps for Clock. All but Noise and HotCache are regular: an observer who
// knows the rule can tell every sample. Work for each sample stretches none of them but Noise.

// Constant takes the same time always: a clock read after it is a ramp, or the beat of that time with
// the clock's tick.
func Constant(ns float64) func(int, int) float64 {
	return func(int, int) float64 { return ns }
}

// Cycle takes the given times in turn.
func Cycle(ns ...float64) func(int, int) float64 {
	i := -1
	return func(int, int) float64 {
		i = (i + 1) % len(ns)
		return ns[i]
	}
}

// Periodic repeats a random sequence of n times from low to high.
func Periodic(seed uint64, n int, low, high float64) func(int, int) float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	times := make([]float64, n)
	for i := range times {
		times[i] = low + (high-low)*rng.Float64()
	}
	return Cycle(times...)
}

// TwoTone varies around a mean as the sum of two sines of the same amplitude, with frequencies in
// cycles a sample. With frequencies that have no common measure it never repeats, looks noisy to the
// eye and holds nothing.
func TwoTone(mean, amplitude, f1, f2 float64) func(int, int) float64 {
	i := 0.0
	return func(int, int) float64 {
		i++
		return mean + amplitude*(math.Sin(2*math.Pi*f1*i)+math.Sin(2*math.Pi*f2*i))
	}
}

// Noise is a memory walk: the mean grows with the touches, the jitter, in nanoseconds for 16 of them,
// with their square root; one sample in a thousand is interrupted.
func Noise(seed uint64, mean, jitter float64) func(int, int) float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	return func(_, touches int) float64 {
		work := float64(touches) / 16
		t := mean*work + jitter*math.Sqrt(work)*rng.NormFloat64()
		if rng.IntN(1000) == 0 {
			t += 2000 + 3000*rng.Float64()
		}
		return max(t, mean*work/4)
	}
}

// HotCache is a walk whose buffer stays in a near cache: long runs of one time, a few others, a burst
// of misses now and then. The share of samples that are not the usual one is given.
func HotCache(seed uint64, share float64) func(int, int) float64 {
	rng := rand.New(rand.NewPCG(seed, 3))
	burst := 0
	return func(int, int) float64 {
		switch {
		case burst > 0:
			burst--
			return 300 + 10*float64(rng.IntN(40))
		case rng.IntN(20000) == 0:
			burst = 50
			return 2000
		case rng.Float64() < share:
			return 130 + 10*float64(1+rng.IntN(3))
		}
		return 130
	}
}

// Times lists n+1 readings of a clock with one sample's work between each two.
func Times(c *Clock, n int) []int64 {
	times := make([]int64, n+1)
	for i := range times {
		if i > 0 {
			c.Work(0, 16)
		}
		times[i] = c.Now()
	}
	return times
}

// Requantise returns times as a clock of another tick would have read them.
func Requantise(times []int64, tick float64) []int64 {
	coarse := make([]int64, len(times))
	for i, t := range times {
		coarse[i] = int64(math.Floor(math.Floor(float64(t)/tick) * tick))
	}
	return coarse
}
