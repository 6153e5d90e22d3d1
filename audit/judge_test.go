package audit

import (
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// TestComparisons: the constant is the number of figures in a report.
func TestComparisons(t *testing.T) {
	if n := judged(good(1, 3), Rules{}).Budget.Comparisons; n != comparisons {
		t.Errorf("a report has %d figures, the constant is %d", n, comparisons)
	}
}

// TestMinBlocks recomputes the constant, and the power that it stands for from exact tails.
func TestMinBlocks(t *testing.T) {
	const d = 0.01
	za, zb := normalQuantile(DefaultAlpha/comparisons/2), normalQuantile(missed)
	bits := math.Pow((za+zb*math.Sqrt(1-4*d*d))/(2*d), 2)
	if blocks := int(math.Ceil(bits / fips.BlockBits)); blocks != MinBlocks {
		t.Errorf("%.0f bits, %d blocks, are needed; the constant is %d", bits, blocks, MinBlocks)
	}
	power := func(blocks int64) float64 {
		n := blocks * fips.BlockBits
		least := n / 2 // ones that are too many
		for (Share{least, n}).P()*comparisons >= DefaultAlpha {
			least++
		}
		return binomialMore(n, 0.5+d, least)
	}
	if p := power(MinBlocks); p < 1-missed {
		t.Errorf("with %d blocks it is seen with probability %g", MinBlocks, p)
	}
	if p := power(MinBlocks - 1); p >= 1-missed {
		t.Errorf("with one block less it is seen with probability %g already", p)
	}
}

// TestPower: what a report says is detectable is seen.
func TestPower(t *testing.T) {
	if d := judged(good(1, MinBlocks), Rules{}).Detectable; d.Bias > 0.01 || d.Bias < 0.009 || d.Correlation < d.Bias || d.Correlation > 0.01 {
		t.Errorf("detectable with %d blocks: %+v", MinBlocks, d)
	}
	const blocks = 40
	seeds := uint64(10)
	if testing.Short() || race {
		seeds = 1
	}
	d := judged(good(1, blocks), Rules{}).Detectable
	for _, test := range []struct {
		name, by string
		data     func(seed uint64) []byte
	}{
		{"ones", statBias, func(seed uint64) []byte { return biased(seed, blocks, 0.5+d.Bias, 0) }},
		{"zeros", statBias, func(seed uint64) []byte { return biased(seed, blocks, 0.5-d.Bias, 0) }},
		{"sticky", statAutocorrelation, func(seed uint64) []byte { return biased(seed, blocks, 0, 0.5+d.Correlation) }},
		{"alternating", statAutocorrelation, func(seed uint64) []byte { return biased(seed, blocks, 0, 0.5-d.Correlation) }},
	} {
		for seed := range seeds {
			r := judged(test.data(seed), Rules{})
			if s := statistic(t, r, test.by); s.Verdict != Fail || r.Verdict != Fail {
				t.Errorf("%s, seed %d: %s, %s has p %.3g", test.name, seed, r.Verdict, test.by, s.P)
			}
		}
	}
}

// TestDetectableShift: the shift is where the normal power is what it should be.
func TestDetectableShift(t *testing.T) {
	for _, n := range []int64{20_000, 1_000_000, 1 << 50} {
		const alpha = 1e-9
		d := detectableShift(n, alpha)
		z := normalQuantile(alpha / 2)
		power := normalMore((z - 2*d*math.Sqrt(float64(n))) / math.Sqrt(1-4*d*d))
		if math.Abs(1-power-missed) > 1e-6 {
			t.Errorf("%d bits: a shift of %g is missed with probability %g", n, d, 1-power)
		}
	}
}

// TestVerdicts: what comes first when several things are to be said.
func TestVerdicts(t *testing.T) {
	withFailures := func(blocks, failures int64) *Run {
		run := measure(good(2, int(blocks)))
		run.FIPS1402 = Failures{failures, [5]int64{0, 0, min(failures, 2), max(0, failures-2)}}
		return run
	}
	for _, test := range []struct {
		name    string
		run     *Run
		rules   Rules
		verdict Verdict
		reason  string
	}{
		{"pass", withFailures(100, 0), Rules{}, Pass, "none of 100 blocks failed; of an ideal source 0.08 would"},
		{"pass with a failure", withFailures(100, 1), Rules{}, Pass, "1 of 100 blocks failed; an ideal source fails as many or more in 7.6 % of audits"},
		{"strict", withFailures(100, 1), Rules{Strict: true}, Fail, "no block may fail, but 1 of 100 blocks failed; an ideal source fails as many or more in 7.6 % of audits"},
		{"strict and good", withFailures(100, 0), Rules{Strict: true, Wanted: 100}, Pass, "none of 100 blocks failed; of an ideal source 0.08 would"},
		{"strict and short", withFailures(100, 1), Rules{Strict: true, Wanted: 101}, Fail, "no block may fail, but 1 of 100 blocks failed; an ideal source fails as many or more in 7.6 % of audits"},
		{"suspicious", withFailures(100, 5), Rules{}, Suspicious, "5 of 100 blocks failed; an ideal source fails as many or more with a probability of 2.2e-8; look again, with more data"},
		{"at another level", withFailures(100, 5), Rules{Alpha: 1e-4}, Fail, "5 of 100 blocks failed; an ideal source fails as many or more with a probability of 2.2e-8"},
		{"short", withFailures(12, 0), Rules{Wanted: 1000}, Insufficient, "only 12 of 1000 blocks came"},
		{"a single one", withFailures(1, 0), Rules{}, Insufficient, "1 block came, and a pass means little with fewer than 11"},
		{"nothing", &Run{}, Rules{Wanted: 1}, Insufficient, "no whole block of 2500 bytes came"},
		{"short and bad", measure(fipstest.G10(3)), Rules{Wanted: 1000}, Fail, "stuck at ff: every byte is that"},
	} {
		r := Judge(test.run, test.rules)
		if r.Verdict != test.verdict || r.Reason != test.reason {
			t.Errorf("%s: %s: %q, want %s: %q; by %s, adjusted %.3g", test.name, r.Verdict, r.Reason, test.verdict, test.reason, r.Budget.By, r.Budget.Adjusted)
		}
	}
}

// TestProfiles: each profile counts its own failures by its own chances.
func TestProfiles(t *testing.T) {
	run := measure(good(2, 100))
	run.FIPS1402 = Failures{2, [5]int64{0, 0, 2}}
	run.FIPS1401 = Failures{1, [5]int64{0, 0, 1}}
	for _, test := range []struct {
		profile  string
		failures int64
		chance   float64
	}{
		{ProfileFIPS1402, 2, fips.ChanceAny},
		{ProfileFIPS1401, 1, fips.ChanceAny1401},
		{ProfileAIS31, 1, fips.ChanceAny1401},
	} {
		r := Judge(run, Rules{Profile: test.profile})
		any, runs := r.Tests[0], r.Tests[3]
		if r.Profile != test.profile || any.Failures != test.failures || runs.Failures != test.failures || any.Expected != 100*test.chance {
			t.Errorf("%s: %+v, %+v", test.profile, any, runs)
		}
	}
}

// TestFailuresFewAndMany: the tails of the number of failed blocks are those of reference tables, and far too
// few failures are told apart from too many.
func TestFailuresFewAndMany(t *testing.T) {
	for _, test := range []struct {
		blocks, failures int64
		more, fewer      float64
	}{
		{1000, 1, 0.549, 0.811},
		{1000, 3, 0.0467, 0.991},
		{1000, 6, 1.76e-4, 1},
		{1000, 7, 1.96e-5, 1},
		{10_000, 0, 1, 3.5e-4},
	} {
		any := blockTest(anyTest, "", test.failures, test.blocks, fips.ChanceAny)
		if !near(any.PMore, test.more, 0.006) || !near(any.PFewer, test.fewer, 0.01) {
			t.Errorf("%d of %d: %.4g or more, %.4g or fewer", test.failures, test.blocks, any.PMore, any.PFewer)
		}
	}
	any := blockTest(anyTest, "any test", 0, 10_000, fips.ChanceAny)
	const want = "0 of 10000 blocks failed; an ideal source fails as few or fewer with a probability of 3.5e-4: failing blocks may have been taken out"
	if got := any.sentence(10_000); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWords: every figure can be put into words.
func TestWords(t *testing.T) {
	r := judged(good(3, 20), Rules{})
	for _, s := range r.Statistics {
		text := s.sentence()
		t.Log(text)
		if strings.Contains(text, "%!") || !strings.Contains(text, "; an ideal source is as extreme ") {
			t.Errorf("%s: %q", s.Name, text)
		}
	}
	for _, test := range r.Tests {
		t.Log(test.sentence(20))
	}
	for p, want := range map[float64]string{
		1: "in 100 % of audits", 0.047: "in 4.7 % of audits", 3.5e-4: "with a probability of 3.5e-4",
		1e-250: "with a probability of 1.0e-250", 0: "with a probability below 1e-300",
	} {
		if got := often(p); got != want {
			t.Errorf("%g: %q, want %q", p, got, want)
		}
	}
	for fraction, want := range map[float64]string{0.5: "50.0 %", 0.401: "40.1 %", 0.50034: "50.03 %", 0.500034: "50.003 %", 1: "100.0 %"} {
		if got := percent(fraction); got != want {
			t.Errorf("%g: %q, want %q", fraction, got, want)
		}
	}
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		rules Rules
		want  string
	}{
		{Rules{}, ""},
		{Rules{Profile: ProfileAIS31, Alpha: 1e-9, Claim: 0.5, Strict: true, Wanted: 1}, ""},
		{Rules{Profile: "fips"}, `unknown profile "fips", there are fips140-2, fips140-1, ais31`},
		{Rules{Alpha: 0.01}, "significance level 0.01 is not between 0 and 0.01"},
		{Rules{Alpha: math.NaN()}, "significance level NaN is not between 0 and 0.01"},
		{Rules{Claim: 8.5}, "min-entropy of 8.5 bits a byte is not between 0 and 8"},
		{Rules{Wanted: -1}, "-1 blocks cannot be asked for"},
	} {
		got := ""
		if err := test.rules.Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.rules, got, test.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("rules that are none do not panic")
		}
	}()
	Judge(&Run{}, Rules{Profile: "fips"})
}
