package sp80090b

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestAssessBadArguments(t *testing.T) {
	good := uniform(1, 1000, 4)
	for _, test := range []struct {
		name    string
		samples []byte
		bits    int
		want    string // in the error
	}{
		{"no bits", good, 0, "symbols of 0 bits"},
		{"nine bits", good, 9, "symbols of 9 bits"},
		{"wide symbol", append([]byte{1, 2, 4}, good...), 2, "sample 2 is 0x4"},
		{"none", nil, 8, "0 of at least 1000"},
		{"one short", good[:999], 8, "999 of at least 1000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := Assess(t.Context(), test.samples, test.bits, AssessOptions{})
			if a != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("result %v, error %v, want one with %q", a, err, test.want)
			}
			if few := len(test.samples) < 1000; errors.Is(err, ErrTooFewSamples) != few {
				t.Errorf("error %v is ErrTooFewSamples: %v, want %v", err, !few, few)
			}
		})
	}
}

// TestAssessFew: estimators that need more samples than there are do not show up.
func TestAssessFew(t *testing.T) {
	a, err := Assess(t.Context(), uniform(1, 1000, 256), 8, AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := func(list Estimates) string {
		var all []string
		for _, e := range list {
			all = append(all, e.Name)
		}
		return strings.Join(all, " ")
	}
	if got, want := names(a.Literal), "Most Common Value LRS Lag MultiMMC LZ78Y"; got != want {
		t.Errorf("literal estimates %s, want %s", got, want)
	}
	if got, want := names(a.BitString), strings.Join(estimatorNames[:], " "); got != want {
		t.Errorf("bit string estimates %s, want %s", got, want)
	}
}

// TestAssessSymbols: what counts is how many different symbols come up.
func TestAssessSymbols(t *testing.T) {
	for _, test := range []struct {
		name              string
		samples           []byte
		bits              int
		symbols           int
		literal, bitCount int
	}{
		{"equal bits", make([]byte, 2000), 1, 1, 10, 0},
		{"equal bytes", bytes.Repeat([]byte{77}, 2000), 8, 1, 7, 0},
		{"bits", uniform(1, 20000, 2), 1, 2, 10, 0},
		{"two bytes", bytes.ReplaceAll(uniform(1, 20000, 2), []byte{1}, []byte{200}), 8, 2, 10, 0},
		{"three bytes", bytes.ReplaceAll(uniform(1, 20000, 3), []byte{1}, []byte{200}), 8, 3, 7, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := Assess(t.Context(), test.samples, test.bits, AssessOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if a.Samples != len(test.samples) || a.SymbolBits != test.bits || a.Symbols != test.symbols {
				t.Errorf("%d samples of %d bits, %d symbols", a.Samples, a.SymbolBits, a.Symbols)
			}
			if len(a.Literal) != test.literal || len(a.BitString) != test.bitCount {
				t.Errorf("%d and %d estimates, want %d and %d", len(a.Literal), len(a.BitString), test.literal, test.bitCount)
			}
			want := a.Literal.Min()
			if test.bitCount > 0 {
				want = min(want, a.BitString.Min()*float64(test.bits))
			}
			if a.HOriginal != a.Literal.Min() || a.AssessedMinEntropy != want {
				t.Errorf("summary %+v", a)
			}
			if zero := a.AssessedMinEntropy == 0; zero != (test.symbols == 1) {
				t.Errorf("assessed min-entropy of %d symbols is %v", test.symbols, a.AssessedMinEntropy)
			}
		})
	}
	// Two values have the same estimates whatever they are.
	a, _ := Assess(t.Context(), uniform(1, 20000, 2), 1, AssessOptions{})
	b, _ := Assess(t.Context(), bytes.ReplaceAll(uniform(1, 20000, 2), []byte{1}, []byte{200}), 8, AssessOptions{})
	if a.AssessedMinEntropy != b.AssessedMinEntropy {
		t.Errorf("%v and %v", a.AssessedMinEntropy, b.AssessedMinEntropy)
	}
}

func TestAssessProgress(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 100} {
		last, calls := 0, 0
		_, err := Assess(t.Context(), uniform(1, 2000, 16), 4, AssessOptions{Workers: workers, Progress: func(done, total int) {
			calls++
			if total != 16 || done <= last || done > total {
				t.Errorf("done %d of %d after %d", done, total, last)
			}
			last = done
		}})
		if err != nil || last != 16 {
			t.Errorf("%d workers: %d of 16 done in %d calls, error %v", workers, last, calls, err)
		}
	}
}

// TestAssessCancel cancels before and at each step. It cannot tell how long it takes
// until Assess returns, see BenchmarkCancel, but that no estimator starts any more.
func TestAssessCancel(t *testing.T) {
	samples := uniform(1, 3000, 256)
	for at := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		if at == 0 {
			cancel()
		}
		a, err := Assess(ctx, samples, 8, AssessOptions{Workers: 1, Progress: func(int, int) {
			if calls++; calls == at {
				cancel()
			}
		}})
		if a != nil || !errors.Is(err, context.Canceled) || calls != at {
			t.Errorf("cancelled at step %d: result %v, error %v, %d steps", at, a, err, calls)
		}
		cancel()
	}
}

// TestStop stops every estimator each time that it asks.
func TestStop(t *testing.T) {
	const n = 66_000                                                   // more than one interval of asking
	symbols := append(sticky(1, n/2, 16, 4), sticky(1, n/2, 16, 4)...) // needs suffixArray
	bits := newBitString(symbols, 1)
	for _, test := range []struct {
		name string
		run  func(stopper)
	}{
		{"structure", func(stop stopper) { f := noFigures(); new(structure).assess(symbols, 16, &f, stop) }},
		{"structure of uniform", func(stop stopper) {
			f := noFigures()
			new(structure).assess(uniform(1, n, 16), 16, &f, stop)
		}},
		{"MultiMCW", func(stop stopper) { multiMCW(symbols, 16, new([len(mcwWindows)]modeWindow), stop) }},
		{"Lag", func(stop stopper) { lag(symbols, 16, stop) }},
		{"compression", func(stop stopper) { compression(bits, stop) }},
		{"tuples of bits", func(stop stopper) { tuplesOfBits(bits, stop) }},
		{"MultiMCW of bits", func(stop stopper) { multiMCWBits(bits, stop) }},
		{"Lag of bits", func(stop stopper) { lagBits(bits, stop) }},
		{"MultiMMC of bits", func(stop stopper) { multiMMCBits(bits, maxPairs, stop) }},
		{"LZ78Y of bits", func(stop stopper) { lz78yBits(bits, maxContexts, stop) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			polls := 0
			for at := 0; ; at++ {
				asked := 0
				test.run(func() bool { asked++; return asked > at })
				if asked <= at { // it came to its end
					polls = asked
					break
				}
				if asked > at+20 {
					t.Fatalf("went on after %d more polls", asked-at)
				}
			}
			if polls == 0 {
				t.Error("never asks")
			}
		})
	}
}

func TestAssessJSON(t *testing.T) {
	a, err := Assess(t.Context(), uniform(1, 2000, 4), 2, AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Samples            int
		Literal, BitString map[string]float64
		Assessed           float64 `json:"assessed_min_entropy"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Samples != 2000 || got.Assessed != a.AssessedMinEntropy || len(got.Literal) != len(a.Literal) ||
		len(got.BitString) != len(a.BitString) || got.BitString["Collision"] != a.BitString[nameCollision].MinEntropy {
		t.Errorf("%s", text)
	}
	var back Assessment
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, a) {
		t.Errorf("back from JSON: %+v, error %v, want %+v", back, err, a)
	}
	var none Estimates
	if err := json.Unmarshal([]byte("[1]"), &none); err == nil {
		t.Error("a list is no object")
	}
	if empty, err := json.Marshal(Estimates(nil)); err != nil || string(empty) != "{}" {
		t.Errorf("no estimates are %s, error %v", empty, err)
	}
}

func TestEstimates(t *testing.T) {
	list := Estimates{{"a", 2}, {"b", 1}, {"c", 1}, {"d", 3}}
	if list.Min() != 1 || list.Weakest().Name != "b" {
		t.Errorf("weakest %v, min %v", list.Weakest(), list.Min())
	}
	if Estimates(nil).Min() != 0 {
		t.Error("no estimates are worth something")
	}
}

// TestPacking compares packed symbols with single bits.
func TestPacking(t *testing.T) {
	for width := 1; width <= 8; width++ {
		samples := uniform(uint64(width), 1001, 1<<width)
		b := newBitString(samples, width)
		for i := range b.n {
			want := samples[i/width] >> (width - 1 - i%width) & 1
			if got := byte(b.at(i) >> 63); got != want {
				t.Fatalf("width %d: bit %d is %d, want %d", width, i, got, want)
			}
		}
		if b.at(b.n) != 0 || b.at(-4096) != 0 {
			t.Errorf("width %d: bits outside are not 0", width)
		}
	}
}

// TestDegenerate assesses samples with long repeats, a million where repeats are worst.
// An algorithm that is not linear in them would not end before the test's deadline.
func TestDegenerate(t *testing.T) {
	many, n := EnoughSamples, 200_000
	if small() {
		many, n = 50_000, 20_000
	}
	alternate := make([]byte, n)
	for i := range alternate {
		alternate[i] = byte(i&1) * 255
	}
	nearlyEqual := make([]byte, n)
	nearlyEqual[n/3], nearlyEqual[n-1] = 1, 2
	twice := uniform(5, many, 256)
	copy(twice[many/2:], twice)
	zeroHalf := uniform(6, n, 256)
	clear(zeroHalf[:n/2])
	ramp := make([]byte, n)
	for i := range ramp {
		ramp[i] = byte(i)
	}
	for _, test := range []struct {
		name    string
		samples []byte
		most    float64 // assessed min-entropy
	}{
		{"equal", make([]byte, many), 0},
		{"nearly equal", nearlyEqual, 1e-3},
		{"the same twice", twice, 1e-2},
		{"two values in turn", alternate, 1e-2},
		{"ramp", ramp, 1e-2},
		{"period of 1000", periodic(3, n, 256, 1000), 1e-2},
		{"half zeros", zeroHalf, 1e-2},
		{"fibonacci", fibonacci(n), 1e-2},
		{"mostly zeros", biased(4, n, 256, 500), 0.02},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := Assess(t.Context(), test.samples, 8, AssessOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range []Estimates{a.Literal, a.BitString} {
				for _, e := range list {
					if !(e.MinEntropy >= 0 && e.MinEntropy <= 8) || math.Signbit(e.MinEntropy) {
						t.Errorf("%s is %v", e.Name, e.MinEntropy)
					}
				}
			}
			if a.AssessedMinEntropy > test.most {
				t.Errorf("assessed min-entropy is %v, want %v at most", a.AssessedMinEntropy, test.most)
			}
		})
	}
}
