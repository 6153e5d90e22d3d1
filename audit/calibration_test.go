package audit

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
)

// inParallel calls f for 0 to n-1 in a few goroutines.
func inParallel(n int, f func(i int)) {
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := worker; i < n; i += 4 {
				f(i)
			}
		})
	}
	wait.Wait()
}

// withinChance tells whether a binomial count is one that is not far rarer than 1 in 1000.
func withinChance(n int, p float64, k int) bool {
	return binomialMore(int64(n), p, int64(k)) > 1e-3 && binomialFewer(int64(n), p, int64(k)) > 1e-3
}

// TestGoodStreams makes audits of 1000 blocks of good generators: none fails, as few are suspicious as
// computed, and about half fail the rule of no failed block.
func TestGoodStreams(t *testing.T) {
	runs, blocks := 200, 1000
	if testing.Short() || race || strconv.IntSize == 32 {
		runs, blocks = 20, 50
	}
	reports, strict := make([]*Report, runs), make([]*Report, runs)
	inParallel(runs, func(i int) {
		run := measure(good(uint64(2000+i), blocks))
		reports[i] = Judge(run, Rules{Wanted: int64(blocks)})
		strict[i] = Judge(run, Rules{Strict: true})
	})
	suspicious, failed, low := 0, 0, 0
	for i, r := range reports {
		switch {
		case r.Verdict == Fail || r.Verdict == Insufficient || r.Verdict == Pass && r.Hints != nil:
			t.Errorf("stream %d: %s, %s, %q", i, r.Verdict, r.Reason, r.Hints)
		case r.Verdict == Suspicious:
			suspicious++
		}
		if strict[i].Verdict == Fail {
			failed++
		}
		if r.Budget.Adjusted < 0.1 {
			low++
		}
	}
	chance := -math.Expm1(float64(blocks) * math.Log1p(-fips.ChanceAny))
	t.Logf("%d suspicious, %d strict failures of %.1f, %d of %.1f or fewer with an adjusted p below 0.1",
		suspicious, failed, float64(runs)*chance, low, 0.1*float64(runs))
	if binomialMore(int64(runs), DefaultAlpha*suspiciousFactor, int64(suspicious)) < 1e-3 {
		t.Errorf("%d of %d streams are suspicious", suspicious, runs)
	}
	if !withinChance(runs, chance, failed) {
		t.Errorf("%d of %d streams have a failed block, %.1f expected", failed, runs, float64(runs)*chance)
	}
	// Bonferroni's bound is one: figures depend on each other.
	if binomialMore(int64(runs), 0.1, int64(low)) < 1e-3 || low == 0 {
		t.Errorf("%d of %d streams have an adjusted p below 0.1", low, runs)
	}
}

// TestProbabilitiesAreUniform compares the p of many short audits of good generators with the uniform
// distribution, for a member of each family, by the statistic of Kolmogorov and Smirnov.
func TestProbabilitiesAreUniform(t *testing.T) {
	const blocks = 12
	runs := 1000
	if testing.Short() || race || strconv.IntSize == 32 {
		runs = 100
	}
	counters := make([]Counters, runs)
	inParallel(runs, func(i int) {
		counters[i] = Judge(measure(good(uint64(5000+i), blocks)), Rules{}).Run.Counters
	})
	ofShare := func(share func(c *Counters) Share) func(c *Counters) (p, deviation float64) {
		return func(c *Counters) (p, deviation float64) {
			s := share(c)
			return s.P(), math.Sqrt(float64(s.Of)) / 2
		}
	}
	ofRuns := func(value, i int) func(c *Counters) (p, deviation float64) {
		return func(c *Counters) (p, deviation float64) {
			return twoSided(runLaws[i].tails(c.Runs[value][i], blocks)), math.Sqrt(blocks * runLaws[i].variance)
		}
	}
	for _, test := range []struct {
		name string
		// figure returns p, and the standard deviation of a count.
		figure func(c *Counters) (p, deviation float64)
	}{
		{"bias", ofShare((*Counters).Bias)},
		{"runs of one zero", ofRuns(0, 0)},
		{"runs of 6 ones and more", ofRuns(1, 5)},
		{"nibbles", func(c *Counters) (p, deviation float64) { return nibbleValues(c).P, math.Inf(1) }},
		{"bytes", func(c *Counters) (p, deviation float64) { return byteValues(c).P, math.Inf(1) }},
		{"lag 1", ofShare(func(c *Counters) Share { return c.Correlation()[0] })},
		{"lag 256", ofShare(func(c *Counters) Share { return c.Correlation()[255] })},
		{"bit 3 of 8", ofShare(func(c *Counters) Share { return c.LaneBias(8)[3] })},
		{"bit 60 of 64", ofShare(func(c *Counters) Share { return c.LaneBias(64)[60] })},
		{"bit 3 of 8 and its neighbour", ofShare(func(c *Counters) Share { return c.LaneCorrelation(1, 8)[3] })},
		{"bit 9 of 16 and the word before", ofShare(func(c *Counters) Share { return c.LaneCorrelation(16, 16)[9] })},
		{"equal bytes", func(c *Counters) (p, deviation float64) {
			s := equalWords(c)[0]
			return s.P, math.Sqrt(s.Expected)
		}},
	} {
		p := make([]float64, runs)
		var deviation float64
		for i := range p {
			p[i], deviation = test.figure(&counters[i])
		}
		slices.Sort(p)
		low, high := 0.0, 0.0 // p smaller, and larger, than it should be
		for i, x := range p {
			low = max(low, (float64(i)+0.5)/float64(runs)-x)
			high = max(high, x-(float64(i)+0.5)/float64(runs))
		}
		// The limit is passed once in 1000 on either side. On both sides of the mean, p has the
		// probability of the observed count too, which makes it too large by up to that.
		limit := math.Sqrt(-math.Log(0.0005) / 2 / float64(runs))
		grain := 2 / math.Sqrt(2*math.Pi) / deviation
		t.Logf("%s: %.4f too small, %.4f too large, of %.4f and %.4f", test.name, low, high, limit, limit+grain)
		if low > limit || high > limit+grain {
			t.Errorf("%s: p is off the uniform distribution, by %.4f and %.4f", test.name, low, high)
		}
	}
}
