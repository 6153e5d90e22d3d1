package audit

import (
	"math"
	"math/big"
	"testing"
)

// exactBinomialMore returns P(X >= k) for the wanted k, summed from n down with 100 bits of precision.
func exactBinomialMore(n int64, p *big.Rat, wanted map[int64]float64) {
	float := func(x *big.Rat) *big.Float { return new(big.Float).SetPrec(100).SetRat(x) }
	term, success := float(big.NewRat(1, 1)), float(p)
	for range n {
		term.Mul(term, success)
	}
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	odds := float(new(big.Rat).Quo(q, p))
	sum := new(big.Float).SetPrec(100)
	a, b := new(big.Float), new(big.Float)
	left := len(wanted)
	for k := n; left > 0; k-- {
		sum.Add(sum, term)
		if _, ok := wanted[k]; ok {
			wanted[k], _ = sum.Float64()
			left--
		}
		term.Mul(term, odds).Mul(term, a.SetInt64(k)).Quo(term, b.SetInt64(n-k+1))
	}
}

// TestBinomialTails compares with sums of exact terms, near the mean and far out, on both sides of
// the border between the two regimes.
func TestBinomialTails(t *testing.T) {
	for _, test := range []struct {
		n int64
		p *big.Rat
	}{
		{312, big.NewRat(1, 2)},
		{1999, big.NewRat(1, 2)}, // the last with an incomplete beta function
		{2001, big.NewRat(1, 2)},
		{20000, big.NewRat(1, 2)},
		{200_000, big.NewRat(1, 2)},
		{1000, big.NewRat(795, 1_000_000)},
		{300_000, big.NewRat(795, 1_000_000)},
		{511, big.NewRat(1, 256)},
		{200_000, big.NewRat(1, 256)},
		{100_000, big.NewRat(1, 1<<32)},
	} {
		p, _ := test.p.Float64()
		mean := float64(test.n) * p
		sigma := math.Sqrt(mean * (1 - p))
		more, fewer := map[int64]float64{}, map[int64]float64{}
		for _, z := range []float64{0, 0.01, 0.3, 1, 2, 3, 5, 7, 10, 15, 20, 30, 36} {
			if k := int64(math.Ceil(mean + z*sigma + z)); k <= test.n {
				more[k] = 0
			}
			if k := int64(mean - z*sigma); k >= 0 {
				fewer[test.n-k] = 0
			}
		}
		exactBinomialMore(test.n, test.p, more)
		exactBinomialMore(test.n, new(big.Rat).Sub(big.NewRat(1, 1), test.p), fewer)
		check := func(what string, k int64, got, exact float64) {
			if exact < 1e-307 {
				return
			}
			if !near(got, exact, 1e-3) {
				t.Errorf("n %d, p %s, k %d %s: %.6e, exactly %.6e", test.n, test.p, k, what, got, exact)
			}
		}
		for k, exact := range more {
			check("or more", k, binomialMore(test.n, p, k), exact)
		}
		for k, exact := range fewer {
			check("or fewer", test.n-k, binomialFewer(test.n, p, test.n-k), exact)
		}
	}
}

// near tells whether a figure is within a relative error of what it should be.
func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

// TestBinomialEnds: a tail of all is 1, of none 0, and k successes in all trials have p^n.
func TestBinomialEnds(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"0 or more", binomialMore(1000, 0.5, 0), 1},
		{"all or fewer", binomialFewer(1000, 0.5, 1000), 1},
		{"more than all", binomialMore(1000, 0.5, 1001), 0},
		{"fewer than none", binomialFewer(1000, 0.5, -1), 0},
		{"all of 100", binomialMore(100, 0.5, 100), math.Exp2(-100)},
		{"none of 100", binomialFewer(100, 0.5, 0), math.Exp2(-100)},
		{"none of no trials", binomialFewer(0, 0.5, 0), 1},
		{"one of a hopeless million", binomialMore(1_000_000, math.Exp2(-128), 1), 1e6 * math.Exp2(-128)},
		{"none of a hopeless million", binomialFewer(1_000_000, math.Exp2(-128), 0), 1},
		{"at the mean of many", binomialMore(1_000_000_000_000, 0.5, 500_000_000_000), 0.5 + 0.5*math.Sqrt(2/math.Pi/1e12)},
	} {
		if !near(test.got, test.want, 1e-9) {
			t.Errorf("%s: %.12e, want %.12e", test.name, test.got, test.want)
		}
	}
}

// TestGammaTails compares with sums that an integer shape allows: the gamma variable is x or more if
// fewer than a events of a Poisson process come until x.
func TestGammaTails(t *testing.T) {
	for _, a := range []float64{1, 8, 128, 499, 501, 20_000, 1_000_000} {
		for _, z := range []float64{-30, -10, -6, -3, -1, 0, 0.01, 1, 3, 6, 10, 20, 36} {
			x := a + z*math.Sqrt(a)
			if x <= 0 {
				continue
			}
			// The largest term is that of the last event, or near x if this is smaller.
			logTerm := func(i float64) float64 {
				lg, _ := math.Lgamma(i + 1)
				return i*math.Log(x) - x - lg
			}
			var more, fewer float64
			for i := a - 1; i >= 0 && logTerm(i) > logTerm(min(a-1, x))-50; i-- {
				more += math.Exp(logTerm(i))
			}
			for i := a; logTerm(i) > logTerm(max(a, x))-50; i++ {
				fewer += math.Exp(logTerm(i))
			}
			gotMore, gotFewer := gammaTails(a, x)
			if more > 1e-300 && !near(gotMore, more, 1e-3) || fewer > 1e-300 && !near(gotFewer, fewer, 1e-3) {
				t.Errorf("shape %g, %g: %.6e and %.6e, exactly %.6e and %.6e", a, x, gotMore, gotFewer, more, fewer)
			}
		}
	}
	if more, fewer := gammaTails(3, -1); more != 1 || fewer != 0 {
		t.Errorf("below 0: %g or more, %g or less", more, fewer)
	}
}

// TestChiSquareTails: with many draws, the tails are those of the chi-square distribution; with an even
// number 2m of degrees of freedom, P(X >= x) = exp(-x/2) * sum of (x/2)^i/i! over i < m.
func TestChiSquareTails(t *testing.T) {
	for _, cells := range []int{3, 17, 257} {
		for _, x := range []float64{0.5, 8, 40, 200, 500, 1000, 1400} {
			sum := 0.0
			for i := range (cells - 1) / 2 {
				lg, _ := math.Lgamma(float64(i) + 1)
				sum += math.Exp(float64(i)*math.Log(x/2) - x/2 - lg)
			}
			if got, _ := chiSquareTails(x, 1e13, float64(cells)); !near(got, sum, 1e-6) {
				t.Errorf("%g or more of %d degrees of freedom: %.9e, want %.9e", x, cells-1, got, sum)
			}
		}
	}
}

// TestChiSquareOfFewDraws goes through all draws of 40 from 4 cells: as many for each cell as a single block has
// bytes of each value. The upper tail is made of the moments of this law, and no tail is much
// smaller than the true one.
func TestChiSquareOfFewDraws(t *testing.T) {
	const draws, cells = 40, 4
	factorial := func(n int) float64 { return math.Gamma(float64(n) + 1) }
	law := map[float64]float64{}
	for a := range draws + 1 {
		for b := range draws - a + 1 {
			for c := range draws - a - b + 1 {
				d := draws - a - b - c
				ways := factorial(draws) / factorial(a) / factorial(b) / factorial(c) / factorial(d)
				law[chiSquare([]int64{int64(a), int64(b), int64(c), int64(d)})] += ways / math.Pow(cells, draws)
			}
		}
	}
	var variance, third float64
	for x, p := range law {
		variance += p * math.Pow(x-(cells-1), 2)
		third += p * math.Pow(x-(cells-1), 3)
	}
	const half = float64(cells) / draws
	for x := range law {
		var more, fewer float64
		for y, p := range law {
			if y >= x-1e-9 {
				more += p
			}
			if y <= x+1e-9 {
				fewer += p
			}
		}
		gotMore, gotFewer := chiSquareTails(x, draws, cells)
		if byMoments, _ := skewedTails(x-half, cells-1, variance, third); !near(gotMore, byMoments, 1e-9) {
			t.Errorf("%g or more: %.9e, by exact moments %.9e", x, gotMore, byMoments)
		}
		if more > 1e-4 && gotMore < 0.6*more || gotFewer < 0.8*fewer {
			t.Errorf("%.3g: %.4g or more, truly %.4g; %.4g or less, truly %.4g", x, gotMore, more, gotFewer, fewer)
		}
	}
}

func TestSkewedTailsMirror(t *testing.T) {
	more, fewer := skewedTails(12, 10, 4, 1.5)
	mirroredFewer, mirroredMore := skewedTails(-12, -10, 4, -1.5)
	if more != mirroredMore || fewer != mirroredFewer || more > 0.25 || fewer < 0.75 {
		t.Errorf("%g and %g, mirrored %g and %g", more, fewer, mirroredMore, mirroredFewer)
	}
}
