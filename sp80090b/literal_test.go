package sp80090b

import (
	"fmt"
	"slices"
	"testing"
)

// TestAssessLiteral compares with Assess, whose other estimators are tested against the
// oracle and NIST's results.
func TestAssessLiteral(t *testing.T) {
	var s Scratch
	alphabets := []int{2, 3, 40, 256}
	if small() {
		alphabets = []int{2, 40}
	}
	for _, n := range []int{1000, 4200, 3000} {
		for _, k := range alphabets {
			for name, samples := range noises(21, n, k) {
				t.Run(fmt.Sprintf("%s/n=%d/k=%d", name, n, k), func(t *testing.T) {
					a, err := Assess(t.Context(), samples, 8, AssessOptions{})
					if err != nil {
						t.Fatal(err)
					}
					want := map[string]float64{}
					for _, e := range a.Literal {
						if i := slices.Index(estimatorNames[:], e.Name); i < nameCollision || i > nameCompression {
							want[e.Name] = e.MinEntropy
						}
					}
					sameEstimates(t, "literal", AssessLiteral(samples, 8, &s), want, 1e-12)
				})
			}
		}
	}
}

func TestAssessLiteralEdges(t *testing.T) {
	var s Scratch
	if got := AssessLiteral(uniform(1, 999, 256), 8, &s); got != nil || got.Min() != 0 {
		t.Errorf("999 samples: %v", got)
	}
	if got := AssessLiteral(make([]byte, 4096), 8, &s); len(got) != 7 || got.Min() != 0 {
		t.Errorf("equal samples: %v", got)
	}
	// Bits above the width do not count.
	samples := uniform(1, 4096, 256)
	low := make([]byte, len(samples))
	for i, x := range samples {
		low[i] = x & 7
	}
	got := slices.Clone(AssessLiteral(samples, 3, &s))
	if want := AssessLiteral(low, 3, &s); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAssessLiteralPredictable has processes without any entropy, whose samples look
// spread out: a clock reads a period that waves. The most common value makes it two or
// three bits, the longest repeated substring next to none.
func TestAssessLiteralPredictable(t *testing.T) {
	var s Scratch
	windows := []int{4096, 16384}
	if small() {
		windows = windows[:1]
	}
	for _, n := range windows {
		for _, period := range []float64{16.28, 33.37, 50.38} {
			for _, amplitude := range []float64{1.5, 2.5, 4} {
				list := AssessLiteral(twoTone(n, period, amplitude), 8, &s)
				h := map[string]float64{}
				for _, e := range list {
					h[e.Name] = e.MinEntropy
				}
				if h["Most Common Value"] < 1.7 || h["LRS"] > 0.5 || h["MultiMMC"] > 1.2 || list.Min() != h["LRS"] {
					t.Errorf("%d samples of period %v, amplitude %v: %v", n, period, amplitude, list)
				}
			}
		}
	}
	// A source that is as good as it looks.
	if list := AssessLiteral(uniform(1, 4096, 16), 8, &s); list.Min() < 3 {
		t.Errorf("uniform samples: %v", list)
	}
}

// TestScratch: after the first call with so many samples nothing is allocated, whatever
// they are.
func TestScratch(t *testing.T) {
	n := 16384
	if small() {
		n = 4096
	}
	var s Scratch
	AssessLiteral(uniform(1, n, 256), 8, &s)
	var cases [][]byte
	for _, k := range []int{2, 16, 256} {
		for _, samples := range noises(31, n, k) {
			cases = append(cases, samples, samples[:n/4])
		}
	}
	if allocs := testing.AllocsPerRun(1, func() {
		for _, samples := range cases {
			AssessLiteral(samples, 8, &s)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations for %d calls", allocs, len(cases))
	}
}
