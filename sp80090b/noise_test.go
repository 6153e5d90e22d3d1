package sp80090b

import (
	"math"
	"math/rand/v2"
	"testing"
)

// small reports whether tests should do with less data: the race detector, too, makes
// them ten times slower.
func small() bool { return raceDetector || testing.Short() }

// Sequences for tests. They use a PCG's words only, which are the same in each version
// of Go.

// uniform returns n samples from 0 to k-1.
func uniform(seed uint64, n, k int) []byte {
	rng := rand.NewPCG(seed, 1)
	s := make([]byte, n)
	for i := range s {
		s[i] = byte(rng.Uint64() >> 32 % uint64(k))
	}
	return s
}

// biased returns n samples that are 0 but for one out of odds.
func biased(seed uint64, n, k, odds int) []byte {
	rng := rand.NewPCG(seed, 2)
	s := make([]byte, n)
	for i := range s {
		if rng.Uint64()>>32%uint64(odds) == 0 {
			s[i] = byte(rng.Uint64() >> 32 % uint64(k))
		}
	}
	return s
}

// sticky returns n samples of which two out of three repeat one of the last few.
func sticky(seed uint64, n, k, few int) []byte {
	rng := rand.NewPCG(seed, 3)
	s := make([]byte, n)
	for i := range s {
		if i >= few && rng.Uint64()>>32%3 > 0 {
			s[i] = s[i-1-int(rng.Uint64()>>32%uint64(few))]
		} else {
			s[i] = byte(rng.Uint64() >> 32 % uint64(k))
		}
	}
	return s
}

// periodic returns n samples that repeat after period.
func periodic(seed uint64, n, k, period int) []byte {
	s := uniform(seed, n, k)
	for i := period; i < n; i++ {
		s[i] = s[i-period]
	}
	return s
}

// repeated returns uniform samples with copies of what was just before, each as long as
// length, so that there are long repeats at many distances.
func repeated(seed uint64, n, k, length int) []byte {
	s := uniform(seed, n, k)
	rng := rand.NewPCG(seed, 4)
	for at := 2 * length; at+length <= n; at += length {
		if rng.Uint64()>>63 == 0 {
			copy(s[at:at+length], s[at-length-int(rng.Uint64()>>32%uint64(length)):])
		}
	}
	return s
}

// fibonacci returns the Fibonacci word: as repetitive as a sequence without a period can be.
func fibonacci(n int) []byte {
	a, b := []byte{0}, []byte{0, 1}
	for len(b) < n {
		a, b = b, append(append([]byte{}, b...), a...)
	}
	return b[:n]
}

// twoTone returns what a clock sees of a process without any jitter: its period has two
// sine waves on it, of so many ticks, and the samples are the differences in whole ticks.
func twoTone(n int, period, amplitude float64) []byte {
	s := make([]byte, n)
	now, before := 0.0, 0.0
	for i := range s {
		x := float64(i)
		now += period + amplitude*(math.Sin(x*0.3)+0.6*math.Sin(x*1.1))
		s[i] = byte(int(math.Floor(now) - math.Floor(before)))
		before = now
	}
	return s
}

// noises are sequences of all kinds, of n samples from 0 to k-1.
func noises(seed uint64, n, k int) map[string][]byte {
	return map[string][]byte{
		"uniform":   uniform(seed, n, k),
		"biased":    biased(seed, n, k, 7),
		"rare":      biased(seed, n, k, n/3),
		"sticky":    sticky(seed, n, k, 9),
		"periodic":  periodic(seed, n, k, 1+int(seed*7919%300)),
		"repeated":  repeated(seed, n, k, 40),
		"fibonacci": fibonacci(n),
	}
}
