package sp80090b

import (
	"fmt"
	"math"
)

// Alpha is the exponent a of a false alarm probability of 2^-a, the alpha of SP
// 800-90B section 4.4: 30 means 2^-30. It must be from 1 to MaxAlpha; 20 to 60 are
// usual.
type Alpha int

// MaxAlpha is the largest Alpha for which the cutoffs are exact.
const MaxAlpha Alpha = 256

// Float64 returns the probability 2^-a.
func (a Alpha) Float64() float64 { return math.Ldexp(1, -int(a)) }

// The windows W of the adaptive proportion test, in samples; SP 800-90B section
// 4.4.2 allows no others.
const (
	WindowBinary    = 1024 // for sources with two different sample values
	WindowNonBinary = 512  // for all others
)

// RCTCutoff returns the cutoff C = 1 + ceil(-log2(alpha)/H) of the repetition
// count test, SP 800-90B section 4.4.1: the number of equal samples in a row that
// is an alarm. h is the claimed min-entropy in bits per sample, 0 < h <= 8.
// RCTCutoff panics if alpha or h is out of range; NewRCT returns an error.
func RCTCutoff(alpha Alpha, h float64) int {
	if err := validate(h, alpha); err != nil {
		panic("sp80090b: " + err.Error())
	}
	// A claim such as 1.4 is a little off as a float64, which must not push a
	// quotient that is a whole number over the edge.
	quotient := float64(alpha) / h
	c := 1 + math.Ceil(quotient-quotient*0x1p-50)
	return int(min(c, math.MaxInt32)) // a claim of next to nothing
}

// APTCutoff returns the cutoff C = 1 + critbinom(W, 2^-H, 1-alpha) of the adaptive
// proportion test, SP 800-90B section 4.4.2: the number of samples equal to the
// first one of a window, itself included, that is an alarm. critbinom(n, p, q) is
// the smallest k for which at most k successes in n trials have a probability of q
// or more. window is W, WindowBinary or WindowNonBinary, and h the claimed
// min-entropy in bits per sample, 0 < h <= 8, or at most 1 for binary samples.
//
// With a small h even a window of equal samples is more likely than alpha. Then
// the cutoff is window+1: the test can never raise this alarm.
//
// APTCutoff panics if an argument is out of range; NewAPT returns an error.
func APTCutoff(alpha Alpha, h float64, window int) int {
	if err := validateAPT(h, window, alpha); err != nil {
		panic("sp80090b: " + err.Error())
	}
	n := float64(window)
	if n*h < float64(alpha) { // 2^-(n*h) > alpha; exact where both are equal
		return window + 1
	}
	// Add up the probability of k or more successes from k = window down, the
	// small terms first, as long as it does not exceed alpha. Terms too small
	// for a float64 count as 0; they add up to far less than 2^-MaxAlpha.
	logP := -h * math.Ln2
	logQ := math.Log(-math.Expm1(logP)) // log(1 - 2^-h)
	limit := alpha.Float64()
	tail := math.Exp(n * logP)
	for k := window - 1; k >= 0; k-- {
		tail += math.Exp(logChoose(n, float64(k)) + float64(k)*logP + (n-float64(k))*logQ)
		if tail > limit {
			return k + 1 // P(X > k) is the last tail within the limit
		}
	}
	return 0 // not reached: all terms add up to 1
}

// logChoose returns the natural logarithm of the binomial coefficient.
func logChoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// validate checks a claim of h bits per sample and the exponents of alpha.
func validate(h float64, alphas ...Alpha) error {
	if !(h > 0 && h <= 8) { // also false for NaN
		return fmt.Errorf("min-entropy of %v bits per sample is not in (0, 8]", h)
	}
	for _, a := range alphas {
		if a < 1 || a > MaxAlpha {
			return fmt.Errorf("alpha 2^-%d is not in 2^-1 to 2^-%d", int(a), int(MaxAlpha))
		}
	}
	return nil
}

// validateAPT checks the arguments of an adaptive proportion test.
func validateAPT(h float64, window int, alphas ...Alpha) error {
	switch window {
	case WindowBinary:
		if h > 1 {
			return fmt.Errorf("min-entropy of %v bits is too much for a binary sample", h)
		}
	case WindowNonBinary:
	default:
		return fmt.Errorf("window of %d samples is neither %d nor %d", window, WindowNonBinary, WindowBinary)
	}
	return validate(h, alphas...)
}

// validatePair checks the two alphas of a test.
func validatePair(intermittent, permanent Alpha) error {
	if permanent < intermittent {
		return fmt.Errorf("permanent alpha 2^-%d is larger than intermittent alpha 2^-%d", int(permanent), int(intermittent))
	}
	return nil
}
