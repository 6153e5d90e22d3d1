package sp80090b

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRestartCutoff has cutoffs of ea_restart, which simulates, and exact ones.
func TestRestartCutoff(t *testing.T) {
	alpha := -math.Expm1(math.Log(0.99) / 2000)
	if math.Abs(alpha-5.0251e-6) > 1e-9 { // 0.000005 in the standard
		t.Errorf("alpha is %v", alpha)
	}
	// The cutoff that ea_restart 1.1.8 found for a claim of half a bit.
	if got := restartCutoff(0.5, 1000, alpha); got != 769 {
		t.Errorf("cutoff for H = 0.5 is %d, want 769", got)
	}
	if got := restartCutoff(1e-9, 1000, alpha); got != 1000 {
		t.Errorf("cutoff for next to no entropy is %d", got)
	}
	// One value takes half, the other the rest: the larger count is above c if one
	// binomial variable is above c or below n-c.
	for c := 500; c <= 1000; c += 17 {
		want := 0.0
		for k := 1000 - c; k <= c; k++ {
			want += math.Exp(logChoose(1000, float64(k)) - 1000*math.Ln2)
		}
		if got := noneAbove(1, 1000, c); math.Abs(got-want) > 1e-11 {
			t.Errorf("probability of no count above %d: %v, want %v", c, got, want)
		}
	}
	// Simulated, for more values and one that is rarer: 2^-2.5 five times and the rest.
	rng := rand.New(rand.NewPCG(1, 5))
	p := math.Exp2(-2.5)
	histogram := make([]int, 1001)
	const rounds = 20_000
	for range rounds {
		var counts [6]int
		most := 0
		for range 200 {
			v := int(rng.Float64() / p)
			counts[v]++
			most = max(most, counts[v])
		}
		histogram[most]++
	}
	sum := 0
	for c, count := range histogram[:201] {
		sum += count
		want := noneAbove(2.5, 200, c)
		got := float64(sum) / rounds
		if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/rounds)+1e-3 {
			t.Errorf("probability of no count above %d: simulated %v, computed %v", c, got, want)
		}
	}
}

func TestAssessRestarts(t *testing.T) {
	const rows, columns = 100, 90
	good := uniform(1, rows*columns, 16)
	stuckColumn := append([]byte{}, good...)
	tiltedColumn := append([]byte{}, good...)
	sameStart := append([]byte{}, good...)
	for r := range rows {
		stuckColumn[r*columns+5] = 7
		if r%2 == 0 {
			tiltedColumn[r*columns+5] = 7
		}
		copy(sameStart[r*columns:(r+1)*columns], good[:columns])
		sameStart[r*columns+r%columns] ^= byte(r & 15)
	}
	for _, test := range []struct {
		name               string
		matrix             []byte
		hInitial           float64
		sanity, validation bool
	}{
		{"good", good, 3, true, true},
		{"one column stuck", stuckColumn, 3, false, false},
		{"one column tilted", tiltedColumn, 3, false, true},
		{"each restart the same", sameStart, 3, false, false},
		{"each restart the same, but next to nothing claimed", sameStart, 1e-7, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := AssessRestarts(t.Context(), test.matrix, rows, columns, 4, test.hInitial, AssessOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if a.SanityPassed != test.sanity || a.ValidationPassed != test.validation || a.Passed != (test.sanity && test.validation) {
				t.Errorf("%+v", a)
			}
			want := 0.0
			if a.Passed {
				want = min(test.hInitial, a.HRow, a.HColumn)
			}
			if a.MinEntropy != want || a.HRow != min(4, a.RowEstimates.Min()) || a.HColumn != min(4, a.ColumnEstimates.Min()) {
				t.Errorf("%+v", a)
			}
			// The rows are the matrix as it is.
			plain, err := Assess(t.Context(), test.matrix, 4, AssessOptions{})
			if err != nil || plain.HOriginal != a.HRow {
				t.Errorf("rows have %v, the sequence %v, error %v", a.HRow, plain.HOriginal, err)
			}
		})
	}
	// Counts by hand: 7 comes up in each row of the stuck column.
	a, err := AssessRestarts(t.Context(), stuckColumn, rows, columns, 4, 3, AssessOptions{})
	if err != nil || a.ColumnMax != rows || a.RowMax > a.RowCutoff {
		t.Errorf("%+v, error %v", a, err)
	}
	// Rows and columns change places.
	transposed := make([]byte, len(stuckColumn))
	for i, x := range stuckColumn {
		transposed[i%columns*rows+i/columns] = x
	}
	b, err := AssessRestarts(t.Context(), transposed, columns, rows, 4, 3, AssessOptions{})
	if err != nil || a.HRow != b.HColumn || a.HColumn != b.HRow || a.RowMax != b.ColumnMax || a.ColumnCutoff != b.RowCutoff {
		t.Errorf("transposed: %+v, error %v", b, err)
	}
}

func TestAssessRestartsBadArguments(t *testing.T) {
	matrix := uniform(1, 5000, 16)
	for _, test := range []struct {
		rows, columns, bits int
		hInitial            float64
		want                string
	}{
		{50, 99, 4, 1, "not a matrix of 50 rows and 99 columns"},
		{1, 5000, 4, 1, "not a matrix"},
		{0, 0, 4, 1, "not a matrix"},
		{-50, -100, 4, 1, "not a matrix"},
		{math.MaxInt, math.MaxInt, 4, 1, "not a matrix"},
		{2, 2500, 4, 1, "too large"},
		{50, 100, 4, 0, "not in (0, 4]"},
		{50, 100, 4, 4.1, "not in (0, 4]"},
		{50, 100, 4, math.NaN(), "not in (0, 4]"},
		{50, 100, 3, 1, "more than 3 bits"},
		{50, 100, 0, 1, "0 bits"},
	} {
		a, err := AssessRestarts(t.Context(), matrix, test.rows, test.columns, test.bits, test.hInitial, AssessOptions{})
		if a != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: result %v, error %v", test, a, err)
		}
	}
	if _, err := AssessRestarts(t.Context(), matrix[:900], 30, 30, 4, 1, AssessOptions{}); !errors.Is(err, ErrTooFewSamples) {
		t.Errorf("900 samples: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := AssessRestarts(ctx, matrix, 50, 100, 4, 1, AssessOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
