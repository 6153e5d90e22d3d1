package jitter

import (
	"fmt"
	"math"
	"slices"
)

const (
	minSigma   = 1   // ticks of jitter a sample, see phaseBound
	minTicks   = 8   // ticks that the median sample takes
	maxZeroPct = 1.0 // percent of samples in which the clock did not advance
	maxDelta   = 1<<31 - 1
)

// scale turns times into symbols.
type scale struct {
	tick   float64
	factor uint64 // ticks in a nanosecond, times 2^32
}

func newScale(tick float64) scale {
	return scale{tick, uint64(math.Round(0x1p32 / tick))}
}

// symbols writes one sample for each time: the low 8 bits of its number of ticks. A counter's true
// increments come out, without what the conversion to nanoseconds added.
func (s scale) symbols(dst []byte, deltas []int64) {
	dst = dst[:len(deltas)]
	for i, d := range deltas {
		dst[i] = byte((uint64(min(max(d, 0), maxDelta))*s.factor + 1<<31) >> 32)
	}
}

// estimator estimates the min-entropy of samples in bits each and names the method whose figure it
// is.
type estimator func(samples []byte) (bits float64, method string)

// Measurement is what a run of samples at one setting shows.
type Measurement struct {
	Samples  int     `json:"samples"`
	Median   float64 `json:"median_ns"`   // time of a sample
	Sigma    float64 `json:"sigma_ticks"` // jitter of a sample
	ZeroPct  float64 `json:"zero_percent"`
	Backward int     `json:"backward_steps"`
	Repeats  float64 `json:"repeats_percent"` // samples equal to the one before

	Estimate float64 `json:"estimate"` // min-entropy in bits a sample, 0 if not estimated
	Method   string  `json:"method"`   // whose figure that is
}

// look measures all but the estimate.
func (s scale) look(deltas []int64) Measurement {
	m := Measurement{Samples: len(deltas)}
	sorted := make([]int64, len(deltas))
	m.Sigma = sigma(deltas) / max(s.tick, sigmaFloor)
	copy(sorted, deltas)
	slices.Sort(sorted)
	m.Median = float64(sorted[len(sorted)/2])
	first, _ := slices.BinarySearch(sorted, 0)
	after, _ := slices.BinarySearch(sorted, 1)
	m.Backward = first
	m.ZeroPct = 100 * float64(after-first) / float64(len(sorted))
	for i := 1; i < len(deltas); i++ {
		if deltas[i] == deltas[i-1] {
			m.Repeats++
		}
	}
	m.Repeats *= 100 / float64(len(deltas))
	clear(sorted)
	return m
}

// assess measures everything.
func (s scale) assess(deltas []int64, estimate estimator) Measurement {
	m := s.look(deltas)
	if s.fault(m) != "" {
		return m
	}
	samples := make([]byte, len(deltas))
	s.symbols(samples, deltas)
	m.Estimate, m.Method = estimate(samples)
	clear(samples)
	if bound := phaseBound(m.Sigma); bound < m.Estimate {
		m.Estimate, m.Method = bound, "jitter per tick"
	}
	return m
}

// fault says why the clock does not suit samples like these, "" if it does.
func (s scale) fault(m Measurement) string {
	switch {
	case m.Backward > 0:
		return fmt.Sprintf("the clock went back %d times in %d samples", m.Backward, m.Samples)
	case m.ZeroPct >= maxZeroPct:
		return fmt.Sprintf("the clock did not advance in %.0f %% of samples", m.ZeroPct)
	case m.Median < minTicks*s.tick:
		return fmt.Sprintf("a sample takes %.1f steps of the clock (need %d)", m.Median/s.tick, minTicks)
	case m.Sigma < minSigma:
		return fmt.Sprintf("jitter of a sample is %.2f steps of the clock (need %d)", m.Sigma, minSigma)
	}
	return ""
}
