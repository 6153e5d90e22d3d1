package ais31

import (
	"math"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// near fails the test unless got equals want to the number of digits the constant has.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%s: %.6e", what, got)
	if math.Abs(got-want) > 5e-4*want {
		t.Errorf("%s: computed %.6e, the constant is %.6e", what, got, want)
	}
}

// binomialTails returns the probability that the sum of n fair bits is away from n/2 by distance
// or more.
func binomialTails(n, distance int) (p float64) {
	for k := n/2 - distance; k >= 0; k-- {
		p += 2 * binomial(n, k)
	}
	return p
}

// binomial returns the probability that the sum of n fair bits is k.
func binomial(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(all - in - out - float64(n)*math.Ln2)
}

func TestChanceT0(t *testing.T) {
	different := 0.0 // logarithm of the probability
	for i := range wordsT0 {
		different += math.Log1p(-math.Ldexp(float64(i), -48))
	}
	near(t, "T0", -math.Expm1(different), chanceT0)
}

func TestChanceOfSums(t *testing.T) {
	near(t, "T5", binomialTails(pairsT5, pairsT5/2-2326), chanceT5)
	near(t, "T6a", binomialTails(bitsT6a, bitsT6a/1000*25), chanceT6a)
	near(t, "T6b", binomialTails(2*sample, sample/100*2), chanceT6b)
}

// TestChanceT7 adds up the law of both counts of ones, as far as it matters: up to 10 standard
// deviations.
func TestChanceT7(t *testing.T) {
	const mean, reach = sample / 2, 1600
	law := make([]float64, 2*reach+1)
	for i := range law {
		law[i] = binomial(sample, mean-reach+i)
	}
	p := 0.0
	for i, pa := range law {
		for j, pb := range law {
			if homogeneity(mean-reach+i, mean-reach+j) >= 15.13 {
				p += pa * pb
			}
		}
	}
	near(t, "T7", p, chanceT7)
	// 15.13 is the quantile, rounded down.
	tail := func(chi2 float64) float64 { return math.Erfc(math.Sqrt(chi2 / 2)) }
	if tail(15.13) < 1e-4 || tail(15.14) > 1e-4 {
		t.Errorf("chi-square of 15.13: %g, of 15.14: %g", tail(15.13), tail(15.14))
	}
}

// coronMoments returns the exact mean and standard deviation of f for independent words of
// wordBitsT8 fair bits with an endless past. With q = 1-2^-L and s = 1-2*2^-L,
//
//	P(A(n) > i) = q^i
//	P(A(n) > i and A(n+k) > k+m) = q^k * q^|i-m| * s^min(i,m),
//
// while A(n) > i and A(n+k) > j are independent for j < k. As g(A) is the sum of 1/i over i < A,
// its mean is the sum of q^i/i, and covariances are sums over i and j of 1/(ij) times the
// difference to the product. All sums end where q^i is negligible.
func coronMoments() (mean, deviation float64) {
	const (
		words = 1 << wordBitsT8
		end   = 6000
	)
	var q, s, inverse [2 * end]float64
	for i := range q {
		q[i], s[i] = math.Pow(1-1.0/words, float64(i)), math.Pow(1-2.0/words, float64(i))
		inverse[i] = 1 / float64(i)
	}
	square, sum := 0.0, 0.0 // E g^2 = sum over i and j of q^max(i,j)/(ij)
	for i := 1; i < end; i++ {
		mean += q[i] * inverse[i]
		square += q[i] * inverse[i] * (2*sum + inverse[i])
		sum += inverse[i]
	}
	variance := square - mean*mean // of one g; to it, 2 * sum over k of (1-k/K) * covariance
	for m := 1; m < end; m++ {
		var byPast, byLag float64
		for i := 1; i < end; i++ {
			low, apart := min(i, m), max(i-m, m-i)
			byPast += inverse[i] * q[apart] * (s[low] - q[2*low])
			byLag += inverse[i+m] * q[i] * (1 - float64(i)/wordsT8) // i is k here
		}
		variance += 2 * byPast * byLag
	}
	return mean / math.Ln2, math.Sqrt(variance/wordsT8) / math.Ln2
}

func TestChanceT8(t *testing.T) {
	mean, deviation := coronMoments()
	t.Logf("f: mean %.9f, standard deviation %.6f", mean, deviation)
	near(t, "T8", math.Erfc((mean-7.976)/deviation/math.Sqrt2)/2, chanceT8)

	// Simulated, with a tolerance of 4 standard deviations of either.
	const n = 50
	data := fipstest.NewShake("coron")
	words := make([]byte, bitsT8/8)
	var sum, squares float64
	for range n {
		data.Read(words)
		z := (testT8(&reader{data: words}).Statistics[0].Min - mean) / deviation
		sum += z
		squares += z * z
	}
	t.Logf("of %d samples, in standard deviations: mean %.3f, mean square %.3f", n, sum/n, squares/n)
	if math.Abs(sum/n) > 4/math.Sqrt(n) || math.Abs(squares/n-1) > 4*math.Sqrt(2.0/n) {
		t.Errorf("mean %.3f and mean square %.3f of standardised f", sum/n, squares/n)
	}
}

// TestChanceOfProcedures takes verdicts for independent, except for those about one sequence of
// procedure A: the chances of failing two of T1 to T4 are known.
func TestChanceOfProcedures(t *testing.T) {
	// failing returns the probability of failing, given those that no verdict, and that exactly
	// one, fails in one attempt.
	failing := func(none, one float64) float64 { return 1 - none - one + one*(1-none) }

	sum := float64(chanceT5) // of a sequence's five verdicts
	for _, test := range []fips.Failure{fips.Monobit, fips.Poker, fips.Runs, fips.LongRun} {
		sum += fips.Chance1401(test)
	}
	any := fips.ChanceAny1401 - fips.ChanceContinuousRun + chanceT5
	none := (1 - chanceT0) * math.Pow(1-any, sequences)
	one := none * (chanceT0/(1-chanceT0) + sequences*(any-(sum-any))/(1-any))
	t.Logf("procedure A is repeated with the chance %.4e", one)
	near(t, "procedure A", failing(none, one), chanceA)

	none, one = 1.0, 0.0
	for _, p := range []float64{chanceT6a, chanceT6b, chanceT7, chanceT7, chanceT7, chanceT7, chanceT7, chanceT7, chanceT8} {
		none, one = none*(1-p), one*(1-p)+none*p
	}
	t.Logf("procedure B is repeated with the chance %.4e", one)
	near(t, "procedure B", failing(none, one), chanceB)
}
