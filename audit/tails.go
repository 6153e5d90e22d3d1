package audit

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The tail probabilities behind every figure. All of them keep their relative precision far out, as
// they are multiplied by the number of figures examined: one of 1e-250 is not 0.

// saddlepoint is where the two regimes below meet. An incomplete beta or gamma function converges
// too slowly near the mean when its parameters are large; there the saddlepoint approximation is
// the better one, as its relative error falls with the variance.
const saddlepoint = 500

// binomialMore returns the probability of k successes or more in n trials of probability p each.
func binomialMore(n int64, p float64, k int64) float64 { return binomialTail(n, p, 1-p, k) }

// binomialFewer returns the probability of k successes or fewer: n-k failures or more.
func binomialFewer(n int64, p float64, k int64) float64 { return binomialTail(n, 1-p, p, n-k) }

// binomialTail is binomialMore with 1-p given as q, so that neither has to be small.
func binomialTail(n int64, p, q float64, k int64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	case k == n:
		return math.Exp(float64(n) * math.Log(p))
	case p >= 1:
		return 1
	}
	trials, x := float64(n), float64(k)
	mean := trials * p
	variance := mean * q
	if variance < saddlepoint {
		return mathext.RegIncBeta(x, trials-x+1, p)
	}
	// Lugannani and Rice's formula with the continuity correction for a lattice: H. E. Daniels,
	// Tail Probability Approximations, International Statistical Review 55 (1987), section 6.
	deviance := relativeEntropy(x, mean) + relativeEntropy(trials-x, trials*q)
	u := (x - mean) / (x * q) * math.Sqrt(x*(trials-x)/trials)
	sigma := math.Sqrt(variance)
	return lugannaniRice(deviance, u, 1/(2*sigma)-(q-p)/(6*sigma))
}

// skewedTails returns the probabilities of x or more and of x or less for a sum with the given mean,
// variance and third central moment, which is not 0: those of the gamma distribution with these
// moments (Pearson's type III). A normal distribution would understate the longer tail.
func skewedTails(x, mean, variance, third float64) (more, fewer float64) {
	if third < 0 {
		fewer, more = skewedTails(-x, -mean, variance, -third)
		return more, fewer
	}
	a := 4 * variance / third * variance / third * variance
	return gammaTails(a, a+2*variance/third*(x-mean))
}

// gammaTails returns the probabilities that a gamma variable of shape a and scale 1 is x or more, and
// x or less.
func gammaTails(a, x float64) (more, fewer float64) {
	if x <= 0 {
		return 1, 0
	}
	if a < saddlepoint {
		return mathext.GammaIncRegComp(a, x), mathext.GammaIncReg(a, x)
	}
	deviance := relativeEntropy(a, x)
	u := (x - a) / math.Sqrt(a)
	limit := -1 / (3 * math.Sqrt(a))
	return lugannaniRice(deviance, u, limit), lugannaniRice(deviance, -u, -limit)
}

// chiSquareTails returns the probabilities that Pearson's statistic of n equally likely draws from so
// many cells is x or more, and x or less. With C the number of pairs of draws that fall into the same
// cell, x = 2C cells/n + cells - n. These pairs are pairwise independent, which gives the moments. With
// many draws it is the chi-square distribution of cells-1 degrees of freedom; with few, the upper tail
// is longer than that. The lower one is shorter, which is left out.
func chiSquareTails(x, n, cells float64) (more, fewer float64) {
	p := 1 / cells
	pairs := n * (n - 1) / 2
	variance := pairs * p * (1 - p)
	// Of three different pairs only those of three draws among each other depend on each other.
	third := variance*(1-2*p) + n*(n-1)*(n-2)*p*p*(1-p)
	unit := 2 * cells / n // by which x grows with C, a whole number that stands for C +- 1/2
	more, _ = skewedTails(x-unit/2, cells-1, unit*unit*variance, unit*unit*unit*third)
	_, fewer = gammaTails((cells-1)/2, (x+unit/2)/2)
	return more, fewer
}

// normalMore returns the probability that a standard normal variable is z or more.
func normalMore(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// normalQuantile returns the z that a standard normal variable exceeds with probability p.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfcinv(2*p) }

// lugannaniRice returns the saddlepoint approximation of the probability of a value or more. deviance
// is half the square of the signed root w, which has the sign of u; limit is that of 1/u - 1/w at
// the mean.
func lugannaniRice(deviance, u, limit float64) float64 {
	w := math.Copysign(math.Sqrt(2*deviance), u)
	if math.Abs(w) > 1e-9 {
		limit = 1/u - 1/w
	}
	return normalMore(w) + math.Exp(-deviance)/math.Sqrt(2*math.Pi)*limit
}

// relativeEntropy returns x ln(x/m) + m - x without loss where x is near m: with v = (x-m)/(x+m),
// ln(x/m) = 2 (v + v^3/3 + v^5/5 + ...).
func relativeEntropy(x, m float64) float64 {
	if math.Abs(x-m) > 0.1*(x+m) {
		if x == 0 {
			return m
		}
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	sum := (x - m) * v
	term := 2 * x * v
	for odd := 3.0; ; odd += 2 {
		term *= v * v
		next := sum + term/odd
		if next == sum {
			return sum
		}
		sum = next
	}
}

// twoSided returns the probability of a figure as extreme on either side.
func twoSided(more, fewer float64) float64 { return min(1, 2*min(more, fewer)) }
