package page

import (
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
)

func TestPoissonQuantile(t *testing.T) {
	for _, test := range []struct{ mean, p, want float64 }{
		{0, 0.5, 0},
		{0.001, 0.99865, 0}, // P(0) = 0.99900
		{0.002, 0.99865, 1}, // P(0) = 0.99800
		{6.6, 0.00135, 0},   // P(0) = 0.00136
		{6.7, 0.00135, 1},   // P(0) = 0.00123
		{0.795, 0.99865, 5}, // P(up to 4) = 0.998597
		{1, 0.5, 1},
		{100, 0.5, 100},           // the median lies between mean - ln 2 and mean + 1/3
		{1e4, 0.5, 10000},         //
		{1e8, 0.5, 1e8},           // where exp(-mean) is 0
		{1e8, 0.99865, 100030001}, // mean + 3 sqrt(mean) + (3^2-1)/6, Cornish-Fisher
	} {
		if got := poissonQuantile(test.mean, test.p); math.Abs(got-test.want) > 1e-7*test.want {
			t.Errorf("the quantile %g of mean %g is %g, want %g", test.p, test.mean, got, test.want)
		}
	}
}

// The band of a cone holds what it promises.
func TestCone(t *testing.T) {
	for _, mean := range []float64{0.05, 0.8, 5, 31.8, 400} {
		low, high := cone(mean)
		inside := 0.
		for k := low; k <= high; k++ {
			gamma, _ := math.Lgamma(k + 1)
			inside += math.Exp(k*math.Log(mean) - mean - gamma)
		}
		if inside < 0.9973 {
			t.Errorf("mean %g: %g to %g hold %g of all", mean, low, high, inside)
		}
	}
}

func TestCumulativeSaysWhere(t *testing.T) {
	bins := func(failed int64) []audit.Bin {
		return []audit.Bin{{Blocks: 5000, Failed: failed}, {Blocks: 5000}}
	}
	for failed, want := range map[int64]string{0: "below", 1: "inside", 8: "inside", 18: "inside", 30: "above"} {
		p := cumulative(bins(failed))
		if want := "ends " + want + " the cone"; !strings.Contains(p.Caption, want) || !strings.Contains(p.Desc, want) {
			t.Errorf("%d failed: %q and %q, want %q", failed, p.Caption, p.Desc, want)
		}
	}
	if p := cumulative(bins(1)[:1]); p != nil {
		t.Error("a single bin is drawn")
	}
}
