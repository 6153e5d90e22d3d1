package jitter

import (
	"math"
	"slices"
)

const (
	// iqr is the interquartile range of a normal distribution in standard deviations. Quartiles do not
	// see interruptions, which are rare and long.
	iqr = 1.349
	// predictorOrder is how many samples back the linear predictor looks: two for each sine.
	predictorOrder = 32
)

// sigmaSpans are the numbers of samples over which jitter is summed.
var sigmaSpans = [...]int{1, 16, 128}

// sigma returns the standard deviation, in nanoseconds, of that part of a sample's time which is
// noise, as the least of several robust estimates. A regular process read with a coarse clock, or one
// that swings to and fro, varies as well; none of that counts.
func sigma(deltas []int64) float64 {
	scratch := make([]int64, 0, len(deltas))
	defer func() { clear(scratch[:cap(scratch)]) }()
	return min(spanSigma(deltas, scratch), predictedSigma(deltas, scratch))
}

// spanSigma makes use of that noise adds up: over n samples its standard deviation grows as the square
// root of n. What a coarse clock shows of a regular process does not grow, for however long the
// span, the reading is off by less than a tick. So sums over several spans are each scaled back to one
// sample, and the smallest is believed. Differences of neighbouring sums, with twice the variance,
// take out slow drift.
func spanSigma(deltas, scratch []int64) float64 {
	smallest := math.Inf(1)
	for _, n := range sigmaSpans {
		if len(deltas) < 8*n {
			break
		}
		diffs := scratch[:0]
		var diff int64 // the latest n deltas less the n before
		for i, d := range deltas {
			diff += d
			if i >= n {
				diff -= 2 * deltas[i-n]
			}
			if i >= 2*n {
				diff += deltas[i-2*n]
			}
			if i >= 2*n-1 {
				diffs = append(diffs, diff)
			}
		}
		low, high := quartiles(diffs)
		smallest = min(smallest, (high-low)/iqr/math.Sqrt(2*float64(n)))
	}
	return smallest
}

// predictedSigma takes out what can be told from the samples before by a linear predictor: sums of
// sines, whatever their amplitudes. What then remains has the standard deviation of the noise, or of
// the reading. The coefficients come from autocorrelations by the recursion of Levinson and Durbin.
func predictedSigma(deltas, scratch []int64) float64 {
	sorted := append(scratch[:0], deltas...)
	low, high := quartiles(sorted)
	middle, reach := float64(sorted[len(sorted)/2]), 4*(high-low)
	x := make([]float64, len(deltas))
	for i, d := range deltas { // an interruption must not rule the correlations
		x[i] = max(-reach, min(reach, float64(d)-middle))
	}
	var r [predictorOrder + 1]float64
	for k := range r {
		for i := k; i < len(x); i++ {
			r[k] += x[i] * x[i-k]
		}
	}
	if r[0] == 0 {
		return 0
	}
	r[0] *= 1 + 1e-9 // keeps the recursion stable where nothing is left over
	a := levinson(r[:])
	left := scratch[:0]
	for i := len(a); i < len(x); i++ {
		e := x[i]
		for k, c := range a {
			e -= c * x[i-1-k]
		}
		left = append(left, int64(math.Round(1024*e)))
	}
	clear(x)
	low, high = quartiles(left)
	return (high - low) / 1024 / iqr
}

// levinson returns the coefficients of the best linear predictor for autocorrelations r.
func levinson(r []float64) []float64 {
	a := make([]float64, 0, len(r)-1)
	previous := make([]float64, len(r)-1)
	left := r[0]
	for k := 1; k < len(r) && left > 0; k++ {
		reflection := r[k]
		for i, c := range a {
			reflection -= c * r[k-1-i]
		}
		reflection /= left
		copy(previous, a)
		for i := range a {
			a[i] -= reflection * previous[k-2-i]
		}
		a = append(a, reflection)
		left *= 1 - reflection*reflection
	}
	return a
}

// quartiles sorts values and returns the first and the third quartile.
func quartiles(values []int64) (low, high float64) {
	slices.Sort(values)
	return float64(values[len(values)/4]), float64(values[len(values)*3/4])
}

// phaseBound returns the min-entropy of a sample, in bits, of which an observer knows all but normal
// jitter of so many ticks: the probability of the likeliest value is 1/(sigma sqrt(2 pi)). It holds
// from sigma = 1 on; below, what looks like entropy is mostly the phase of the clock.
func phaseBound(sigmaTicks float64) float64 {
	return math.Log2(sigmaTicks * math.Sqrt(2*math.Pi))
}
