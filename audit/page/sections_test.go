package page

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/audit/ais31"
	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

func TestEstimates(t *testing.T) {
	ideal := []audit.Reference{{On: audit.OnSamples, Name: "Lag", Lowest: 4, Low: 5, High: 7}}
	a := &audit.Assessment{Assessment: &sp80090b.Assessment{
		Samples: 5000, SymbolBits: 8, Symbols: 256,
		Literal:   sp80090b.Estimates{{Name: "LRS", MinEntropy: 6.5}, {Name: "Lag", MinEntropy: 4.5}},
		BitString: sp80090b.Estimates{{Name: "Markov", MinEntropy: 0.9}, {Name: "Lag", MinEntropy: 0.5}},
		HOriginal: 4.5, HBitString: 0.5, AssessedMinEntropy: 4,
	}, Ideal: ideal}
	type row struct {
		name, unit, low, at string
		limiting            bool
	}
	check := func(name string, want ...row) {
		t.Helper()
		rows := estimates(a)
		if len(rows) != len(want) {
			t.Fatalf("%s: %d rows, want %d", name, len(rows), len(want))
		}
		for i, e := range rows {
			if got := (row{e.Name, e.Unit, e.Low(), e.At(e.MinEntropy), e.Limiting}); got != want[i] {
				t.Errorf("%s: row %d is %v, want %v", name, i, got, want[i])
			}
		}
	}
	check("bits decide", row{"LRS", "a byte", "", "136", false}, row{"Lag", "a byte", "low", "96", false},
		row{"Markov", "a bit", "", "150", false}, row{"Lag", "a bit", "", "86", true})
	a.HBitString, a.BitString[1].MinEntropy, a.Literal[1].MinEntropy = 0.9, 0.95, 3.5
	a.HOriginal = 3.5
	check("bytes decide", row{"LRS", "a byte", "", "136", false}, row{"Lag", "a byte", "too low", "76", true},
		row{"Markov", "a bit", "", "150", false}, row{"Lag", "a bit", "", "158", false})
	if estimates(nil) != nil || estimates(&audit.Assessment{}) != nil {
		t.Error("there are estimates of nothing")
	}
}

func TestAssessmentInPage(t *testing.T) {
	r := audited(t, fipstest.G1(20), audit.Rules{})
	estimates, err := sp80090b.Assess(context.Background(), fipstest.G1(4)[:10000], 8, sp80090b.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Assessment = &audit.Assessment{Assessment: estimates, Ideal: []audit.Reference{
		{On: audit.OnSamples, Name: "Lag", Low: 7.1, High: 7.5},
		{Name: audit.Assessed, Low: 5.9, High: 6.3},
	}}
	page := written(t, r, Options{})
	for _, part := range []string{"from 10,000 bytes; an ideal source gets 5.9 to 6.3.", "7.1 to 7.5", "<b>decides</b>"} {
		if n := strings.Count(page, part); n != 1 {
			t.Errorf("%q comes %d times", part, n)
		}
	}
	if n := strings.Count(page, `class="strip"`); n != 17 {
		t.Errorf("%d estimates, want 7 of bytes and 10 of bits", n)
	}
	r.Assessment.Ideal = nil
	if page := written(t, r, Options{}); strings.Contains(page, "Ideal source<") {
		t.Error("there is a column for ideal sources though nothing is known of them")
	}
}

func TestAIS31InPage(t *testing.T) {
	r := audited(t, fipstest.G1(20), audit.Rules{Profile: audit.ProfileAIS31})
	r.AIS31 = stuckAIS31(t)
	page := written(t, r, Options{})
	for _, part := range []string{
		"Procedure A: 1,286 of 1,286 verdicts failed", "1 of 1</td><td>repeats", "257 of 257</td><td>ones</td><td class=\"n\">20,000</td>",
		"9,655 ≤ x ≤ 10,345", "1.03 &lt; x &lt; 57.4", "x &lt; 34", "7.976 &lt; x",
		"Procedure A: fail. An ideal source fails it with a probability of 1", "Procedure B: fail.", "<small>T6a</small>", "<small>T6b: ", "<small>T7b: ",
	} {
		if n := strings.Count(page, part); n != 1 {
			t.Errorf("%q comes %d times", part, n)
		}
	}
	r.AIS31 = (*ais31.Result)(nil)
	if page := written(t, r, Options{}); strings.Contains(page, "AIS 31") {
		t.Error("AIS 31 is in the page though it was not run")
	}
}

func TestLimits(t *testing.T) {
	low, high := 2266.5, 10345.
	for want, l := range map[string]ais31.Limits{
		"2266.5 ≤ x ≤ 10,345": {Low: &low, High: &high, Inclusive: true},
		"2266.5 < x":          {Low: &low},
		"x < 10,345":          {High: &high},
		"x ≤ 10,345":          {High: &high, Inclusive: true},
		"":                    {},
	} {
		if got := limits(l); got != want {
			t.Errorf("limits %q, want %q", got, want)
		}
	}
}

// The numbers of runs that are expected add up to what is known otherwise: n random bits have
// (n + 1)/2 runs, half of them of ones, and n bits in all.
func TestExpectedRuns(t *testing.T) {
	c := &audit.Counters{Blocks: 1}
	rows := runLengths(c)
	runs, bits := 0., 0.
	for i, row := range rows {
		runs += row.Expected
		bits += row.Expected * float64(i+1)
	}
	// Runs of k and more exceed k by as many bits as there are longer runs: the sum of
	// (n - j + 2)/2^(j+1) over j = 7 to n.
	for j := 7; j <= 60; j++ {
		bits += float64(fips.BlockBits-j+2) / math.Exp2(float64(j+1))
	}
	if want := (fips.BlockBits + 1) / 4.; math.Abs(runs-want) > 1e-9 {
		t.Errorf("%g runs of each value are expected, want %g", runs, want)
	}
	if want := fips.BlockBits / 2.; math.Abs(bits-want) > 1e-6 {
		t.Errorf("they have %g bits, want %g", bits, want)
	}
	if runLengths(&audit.Counters{}) != nil {
		t.Error("there are runs of nothing")
	}
}

func TestTallies(t *testing.T) {
	units := []audit.Unit{{Verdict: audit.Pass}, {Verdict: audit.Fail}, {Verdict: audit.Pass}, {Verdict: audit.Insufficient}}
	want := []tally{{audit.Fail, 1}, {audit.Insufficient, 1}, {audit.Pass, 2}}
	got := tallies(units)
	if len(got) != len(want) {
		t.Fatalf("tallies %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("tally %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestMostExtreme(t *testing.T) {
	c := &content{Report: &audit.Report{
		Tests:      []audit.Test{{Name: "long_run", Title: "long run"}},
		Statistics: []audit.Statistic{{Name: "lags", Title: "bits equal", Where: "lag 17"}, {Name: "bias", Title: "share of ones"}},
	}}
	for by, want := range map[string]string{"long_run": "long run", "lags": "bits equal, lag 17", "bias": "share of ones", "other": "other"} {
		c.Budget.By = by
		if got := c.MostExtreme(); got != want {
			t.Errorf("%s is named %q, want %q", by, got, want)
		}
	}
}
