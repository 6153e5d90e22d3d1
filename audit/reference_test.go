package audit

import (
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// ideal makes TestIdealTable compute all of the table, which takes half an hour of processor time.
var ideal = flag.Bool("ideal", false, "compute the whole table of ideal estimates")

// idealSamples returns one of the sets of samples that the table was made from.
func idealSamples(n, set int) []byte {
	var seed [32]byte
	copy(seed[:], "ideal source")
	binary.BigEndian.PutUint64(seed[16:], uint64(n))
	binary.BigEndian.PutUint64(seed[24:], uint64(set))
	data := make([]byte, n)
	rand.NewChaCha8(seed).Read(data)
	return data
}

// figuresOf lists the estimates of some samples in the order of the table.
func figuresOf(t *testing.T, samples []byte) []Reference {
	t.Helper()
	a, err := sp80090b.Assess(t.Context(), samples, 8, sp80090b.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var list []Reference
	for _, e := range a.Literal {
		list = append(list, Reference{On: OnSamples, Name: e.Name, Low: e.MinEntropy})
	}
	for _, e := range a.BitString {
		list = append(list, Reference{On: OnBits, Name: e.Name, Low: e.MinEntropy})
	}
	return append(list, Reference{Name: Assessed, Low: a.AssessedMinEntropy})
}

// TestIdealTable recomputes the start of the table, or with -ideal all of it.
func TestIdealTable(t *testing.T) {
	for _, row := range idealTable {
		sets := 200_000 / row.samples
		if row.samples > 100_000 && (testing.Short() || race) {
			continue
		}
		if *ideal {
			sets = row.sets
		}
		sets = max(sets, 1)
		values := make([][]float64, len(row.ranges))
		for set := range sets {
			for i, f := range figuresOf(t, idealSamples(row.samples, set)) {
				if want := row.ranges[i]; f.On != want.On || f.Name != want.Name {
					t.Fatalf("figure %d is %s %s, the table has %s %s", i, f.On, f.Name, want.On, want.Name)
				}
				values[i] = append(values[i], f.Low)
			}
		}
		outside := 0
		for i, want := range row.ranges {
			slices.Sort(values[i])
			if *ideal {
				got := rangeOf(want, values[i])
				t.Logf("{%q, %q, %.4f, %.4f, %.4f},", got.On, got.Name, got.Lowest, got.Low, got.High)
				if got != want {
					t.Errorf("%d samples: %+v, the table has %+v", row.samples, got, want)
				}
				continue
			}
			if values[i][0] < want.Lowest {
				t.Errorf("%d samples, %s %s: %g is below the lowest, %g", row.samples, want.On, want.Name, values[i][0], want.Lowest)
			}
			for _, v := range values[i] {
				if v < want.Low || v > want.High {
					outside++
				}
			}
		}
		// Two of a hundred are expected to be outside, and figures of one set depend on each other.
		if most := 1 + len(row.ranges)*sets/20; outside > most {
			t.Errorf("%d samples: %d of %d figures outside of their ranges", row.samples, outside, len(row.ranges)*sets)
		}
	}
}

// rangeOf makes the row of the table of sorted values.
func rangeOf(r Reference, values []float64) Reference {
	skip := len(values) / 100
	down := func(x float64) float64 { return math.Floor(x*1e4) / 1e4 }
	r.Lowest, r.Low = down(values[0]), down(values[skip])
	r.High = math.Ceil(values[len(values)-1-skip]*1e4) / 1e4
	return r
}

// TestIdealBetween: between two rows of the table, a range spans both; beyond the last it is that.
func TestIdealBetween(t *testing.T) {
	find := func(samples int, on, name string) Reference {
		r := (&Assessment{Ideal: idealEstimates(samples)}).IdealOf(on, name)
		if r == nil {
			t.Fatalf("%d samples: no range of %s %s", samples, on, name)
		}
		return *r
	}
	for _, samples := range []int{0, 1000, 9999} {
		if list := idealEstimates(samples); list != nil {
			t.Errorf("%d samples: %v", samples, list)
		}
	}
	for _, r := range idealTable[0].ranges {
		first, between, second := find(10_000, r.On, r.Name), find(10_001, r.On, r.Name), find(100_000, r.On, r.Name)
		if first != r || second != idealTable[1].ranges[slices.IndexFunc(idealTable[1].ranges, func(s Reference) bool { return s.On == r.On && s.Name == r.Name })] {
			t.Errorf("%v, %v", first, second)
		}
		want := Reference{r.On, r.Name, min(first.Lowest, second.Lowest), min(first.Low, second.Low), max(first.High, second.High)}
		if between != want {
			t.Errorf("between: %v, want %v", between, want)
		}
		if last, beyond := find(1_000_000, r.On, r.Name), find(2_000_000, r.On, r.Name); last != beyond {
			t.Errorf("beyond: %v, want %v", beyond, last)
		}
	}
	if r := (&Assessment{Ideal: idealEstimates(10_000)}).IdealOf(OnBits, "none"); r != nil {
		t.Errorf("%v", r)
	}
	outside := 0
	const sets = 6
	for set := range sets {
		a := NewAssessment(&sp80090b.Assessment{Samples: 30_000})
		for _, f := range figuresOf(t, idealSamples(30_000, set)) {
			r := a.IdealOf(f.On, f.Name)
			if r == nil || f.Low < r.Lowest {
				t.Fatalf("%s %s: %g, range %v", f.On, f.Name, f.Low, r)
			}
			if f.Low < r.Low || f.Low > r.High {
				outside++
			}
		}
	}
	if outside > sets*18/20 {
		t.Errorf("%d of %d figures are outside of ranges between two rows", outside, sets*18)
	}
}

func TestLimitOf(t *testing.T) {
	high, low := sp80090b.Estimates{{Name: "a", MinEntropy: 9}, {Name: "b", MinEntropy: 8.5}}, sp80090b.Estimates{{Name: "c", MinEntropy: 0.5}, {Name: "d", MinEntropy: 0.6}}
	for _, tt := range []struct {
		a    sp80090b.Assessment
		want Limit
	}{
		{sp80090b.Assessment{SymbolBits: 8, Literal: high, HOriginal: 8, AssessedMinEntropy: 8}, Limit{}},
		{sp80090b.Assessment{SymbolBits: 8, Literal: high, BitString: low, HOriginal: 8, HBitString: 0.5, AssessedMinEntropy: 4}, Limit{Estimator: "c", On: OnBits}},
		{sp80090b.Assessment{SymbolBits: 1, Literal: low, HOriginal: 0.5, AssessedMinEntropy: 0.5}, Limit{Estimator: "c", On: OnSamples}},
	} {
		if got := LimitOf(&tt.a); got != tt.want {
			t.Errorf("%+v: %+v", tt.a, got)
		}
	}
}
