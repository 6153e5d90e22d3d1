package monitoring

import (
	"math"
	"testing"
)

// tail returns the probability of more than limit failures in n blocks of which each fails with the
// probability p.
func tail(n int, p, limit float64) (sum float64) {
	factorial := func(n int) float64 { l, _ := math.Lgamma(float64(n + 1)); return l }
	for k := int(limit) + 1; k <= n; k++ {
		term := math.Exp(factorial(n) - factorial(k) - factorial(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		sum += term
		if term <= sum*1e-9 { // they only get smaller, beyond the mean
			break
		}
	}
	return sum
}

// What the rules say of their limits: how rarely a source that fails what it is expected to exceeds them.
// promtool's cases hold the values of the rules against these formulas.
func TestLimitsOfChance(t *testing.T) {
	for _, test := range []struct {
		alert string
		limit func(n, p float64) float64
		most  float64
	}{
		{"HwrngdFipsFailureRateHigh", func(n, p float64) float64 { return 4 + n*p + 5*math.Sqrt(n*p*(1-p)) }, 4e-7},
		{"HwrngdFipsFailureRateCritical", func(n, p float64) float64 {
			return max(n*max(1-math.Pow(1-p, 6), 0.05)+16*math.Sqrt(p), 10.5)
		}, 1e-6},
	} {
		worst := 0.0
		for _, p := range []float64{7.95e-4, 0.001, 0.0037, 0.01, 0.019, 0.061, 0.125, 0.172, 0.325, 0.5} {
			for n := 1; n < 400_000; n += 1 + n/30 {
				worst = max(worst, tail(n, p, test.limit(float64(n), p)))
			}
		}
		t.Logf("REPORT %s by chance: at most %.3g an evaluation", test.alert, worst)
		if worst > test.most || worst < test.most/4 {
			t.Errorf("%s: a chance of %.3g, want just below %g", test.alert, worst, test.most)
		}
	}
}
