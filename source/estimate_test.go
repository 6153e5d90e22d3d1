package source_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// twoValues are bytes of independent bits, each of which is one with the probability p.
func twoValues(n int, p float64) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		for bit := range 8 {
			if rng.Float64() < p {
				data[i] |= 1 << bit
			}
		}
	}
	return data
}

// A gate reports after each window what the estimators say about the data that it tested.
func TestEstimates(t *testing.T) {
	const windows = 4
	perfect := make([]byte, windows*source.EstimateBytes)
	_, _ = rand.NewChaCha8([32]byte{3}).Read(perfect)
	for _, test := range []struct {
		name     string
		data     []byte
		min, max float64 // of the least estimate
	}{
		{"perfect", perfect, 6.8, 8},
		// Min-entropy -8*log2(0.6) = 5.9 bits. Every block fails, and counts.
		{"biased", twoValues(windows*source.EstimateBytes, 0.6), 5.5, 5.9},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, rec := newGate(t, sourcetest.Info())
			push(g, test.data, whole)
			reports := rec.Events().MinEntropy
			if len(reports) != windows {
				t.Fatalf("%d reports, want %d", len(reports), windows)
			}
			for i, bits := range reports {
				var tally sp80090b.Tally
				for block := range slices.Chunk(test.data[i*source.EstimateBytes:][:source.EstimateBytes], fips.BlockBytes) {
					tally.Add(block)
				}
				want := []float64{tally.MostCommonValue(), tally.Collision(), tally.Markov()}
				for _, e := range source.Estimators {
					if off := want[e] - bits[e]; off < 0 || off >= 0.01 || math.Abs(100*bits[e]-math.Round(100*bits[e])) > 1e-9 {
						t.Errorf("window %d: %s %v, want %v rounded down", i, e, bits[e], want[e])
					}
				}
				if least := slices.Min(bits); least < test.min || least > test.max {
					t.Errorf("window %d: %v, want the least within %v and %v", i, bits, test.min, test.max)
				}
			}
		})
	}
}

// The data at an alarm counts, or a source that is stuck now and then would look perfect.
func TestEstimateCountsAlarms(t *testing.T) {
	data := make([]byte, 2*source.EstimateBytes)
	_, _ = rand.NewChaCha8([32]byte{4}).Read(data)
	for at := 0; at+fips.BlockBytes <= len(data); at += fips.BlockBytes {
		clear(data[at+1000 : at+1100]) // the read of 100 bytes that raises the alarm
	}
	g, rec := newGate(t, sourcetest.Info())
	push(g, data, func() int { return 100 })
	e := rec.Events()
	if len(e.Alarms) == 0 || len(e.MinEntropy) == 0 {
		t.Fatalf("%d alarms, reports %v", len(e.Alarms), e.MinEntropy)
	}
	if mcv := e.MinEntropy[0][source.MCV]; mcv > 5 {
		t.Errorf("most common value %v bits, as if zeros were not 1 byte of 25", mcv)
	}
}

// What a conditioner puts out says nothing about the noise that went in.
func TestNoEstimateOfConditionedData(t *testing.T) {
	info := sourcetest.Info()
	info.Conditioned = true
	g, rec := newGate(t, info)
	data := make([]byte, 2*source.EstimateBytes)
	_, _ = rand.NewChaCha8([32]byte{5}).Read(data)
	push(g, data, whole)
	if reports := rec.Events().MinEntropy; len(reports) != 0 {
		t.Errorf("reported %v", reports)
	}
}

// The figures of a source are not those of another one that takes its place, and those of a source that
// ends are gone.
func TestEstimateIsForgotten(t *testing.T) {
	gone := &source.UnavailableError{Reason: "no such device"}
	for _, test := range []struct {
		name   string
		then   []sourcetest.Step
		forget bool
	}{
		{"another generator", []sourcetest.Step{sourcetest.Change("generator", sourcetest.Info())}, true},
		{"unplugged", []sourcetest.Step{sourcetest.Outage(time.Second, gone)}, true},
		{"silent", []sourcetest.Step{sourcetest.Pause(10 * time.Minute)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := append([]sourcetest.Step{sourcetest.Give(source.EstimateBytes)}, test.then...)
			bubble(t, append(script, sourcetest.Give(10*fips.BlockBytes)), func(t *testing.T, r *rig) {
				for range source.EstimateBytes / fips.BlockBytes {
					r.w.Request()
					r.block(time.Minute)
				}
				reports := r.rec.Events().MinEntropy
				// A request may still be open, since the first block comes unasked: then it goes on at once.
				if len(reports) == 0 || len(reports[0]) != len(source.Estimators) {
					t.Fatalf("reported %v, want a window", reports)
				}
				r.w.Request()
				r.pass(time.Hour)
				if forgot := len(r.rec.Events().MinEntropy) == 2; forgot != test.forget {
					t.Errorf("reported %v", r.rec.Events().MinEntropy)
				}
				r.stop()
				r.pass(time.Second)
				if reports := r.rec.Events().MinEntropy; len(reports) != 2 || reports[1] != nil {
					t.Errorf("reported %v after the end", reports)
				}
			})
		})
	}
}
