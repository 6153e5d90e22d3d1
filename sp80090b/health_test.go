package sp80090b_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// tester is what the two tests have in common.
type tester interface {
	Add(sample byte) sp80090b.Verdict
	Scan(samples []byte) (int, sp80090b.Verdict)
	Reset()
	Cutoffs() (intermittent, permanent int)
}

func newRCT(t testing.TB, h float64, intermittent, permanent sp80090b.Alpha) *sp80090b.RCT {
	t.Helper()
	rct, err := sp80090b.NewRCT(h, intermittent, permanent)
	if err != nil {
		t.Fatal(err)
	}
	return rct
}

func newAPT(t testing.TB, h float64, window int, intermittent, permanent sp80090b.Alpha) *sp80090b.APT {
	t.Helper()
	apt, err := sp80090b.NewAPT(h, window, intermittent, permanent)
	if err != nil {
		t.Fatal(err)
	}
	return apt
}

// verdicts feeds the samples one by one.
func verdicts(test tester, samples []byte) []sp80090b.Verdict {
	list := make([]sp80090b.Verdict, len(samples))
	for i, sample := range samples {
		list[i] = test.Add(sample)
	}
	return list
}

// first returns the index of the first verdict v, or -1.
func first(list []sp80090b.Verdict, v sp80090b.Verdict) int { return slices.Index(list, v) }

// TestRCTInduced plants runs of just under and just at the cutoffs in good data.
func TestRCTInduced(t *testing.T) {
	for _, test := range []struct {
		width                   int
		h                       float64
		intermittent, permanent sp80090b.Alpha
		cutoff, permanentCutoff int
	}{
		{8, 8, 20, 30, 4, 5},
		{8, 8, 30, 60, 5, 9},
		{8, 4, 30, 60, 9, 16},
		{8, 0.5, 30, 60, 61, 121},
		{1, 1, 20, 30, 21, 31},
		{1, 0.5, 20, 30, 41, 61},
		{1, 1, 30, 60, 31, 61},
	} {
		name := fmt.Sprintf("%d bits/H=%v/2^-%d/2^-%d", test.width, test.h, test.intermittent, test.permanent)
		t.Run(name, func(t *testing.T) {
			rct := newRCT(t, test.h, test.intermittent, test.permanent)
			if c, p := rct.Cutoffs(); c != test.cutoff || p != test.permanentCutoff {
				t.Fatalf("cutoffs %d, %d, want %d, %d", c, p, test.cutoff, test.permanentCutoff)
			}
			for _, n := range []int{
				test.cutoff - 1, test.cutoff, test.permanentCutoff - 1,
				test.permanentCutoff, test.permanentCutoff + 40,
			} {
				rct.Reset()
				list := verdicts(rct, fipstest.G23(test.width, n, 1000))
				// The run starts at index 500. Alarms last from the cutoffs to
				// its end.
				for i, got := range list {
					want := sp80090b.OK
					if i >= 500 && i < 500+n {
						switch count := i - 500 + 1; {
						case count >= test.permanentCutoff:
							want = sp80090b.Permanent
						case count >= test.cutoff:
							want = sp80090b.Intermittent
						}
					}
					if got != want {
						t.Fatalf("run of %d, sample %d: got %v, want %v", n, i, got, want)
					}
				}
			}
		})
	}
}

// TestAPTInduced makes the first value of a window just too frequent.
func TestAPTInduced(t *testing.T) {
	for _, test := range []struct {
		width, window           int
		h                       float64
		intermittent, permanent sp80090b.Alpha
		cutoff, permanentCutoff int
	}{
		{8, sp80090b.WindowNonBinary, 8, 20, 30, 13, 16},
		{8, sp80090b.WindowNonBinary, 7, 20, 30, 18, 22},
		{8, sp80090b.WindowNonBinary, 4, 20, 60, 62, 91},
		{8, sp80090b.WindowNonBinary, 1, 20, 60, 311, 355},
		{8, sp80090b.WindowNonBinary, 0.125, 30, 60, 502, 512},
		{1, sp80090b.WindowBinary, 1, 20, 30, 589, 609},
		{1, sp80090b.WindowBinary, 0.5, 20, 30, 793, 810},
	} {
		name := fmt.Sprintf("%d bits/H=%v/2^-%d/2^-%d", test.width, test.h, test.intermittent, test.permanent)
		t.Run(name, func(t *testing.T) {
			apt := newAPT(t, test.h, test.window, test.intermittent, test.permanent)
			if c, p := apt.Cutoffs(); c != test.cutoff || p != test.permanentCutoff {
				t.Fatalf("cutoffs %d, %d, want %d, %d", c, p, test.cutoff, test.permanentCutoff)
			}
			for _, n := range []int{
				test.cutoff - 1, test.cutoff, test.permanentCutoff - 1, test.permanentCutoff,
			} {
				apt.Reset()
				samples := fipstest.G24(test.width, n, test.window)
				count := 0
				for i, sample := range samples {
					if sample == samples[0] {
						count++
					}
					want := sp80090b.OK
					switch {
					case count >= test.permanentCutoff:
						want = sp80090b.Permanent
					case count >= test.cutoff:
						want = sp80090b.Intermittent
					}
					if got := apt.Add(sample); got != want {
						t.Fatalf("%d equal, sample %d: got %v, want %v", n, i, got, want)
					}
				}
				if count != n {
					t.Fatalf("vector has %d equal samples, want %d", count, n)
				}
				// The alarm ends with the window.
				if got := apt.Add(samples[0]); got != sp80090b.OK {
					t.Fatalf("%d equal, first sample of the next window: %v", n, got)
				}
			}
		})
	}
}

// TestAPTWindows: only the first value of each window counts, from its start.
func TestAPTWindows(t *testing.T) {
	apt := newAPT(t, 8, sp80090b.WindowNonBinary, 20, 30) // cutoffs 13 and 16
	distinct := func(i int) byte { return byte(1 + i%255) }
	var samples []byte
	for i := range 512 { // a window whose second value is far too frequent
		samples = append(samples, 7+byte(min(i, 1)))
	}
	for i := range 512 { // 12 of the first value, the last of them at the end
		samples = append(samples, distinct(i))
		if i%47 == 0 && i/47 < 11 || i == 511 {
			samples[len(samples)-1] = 0
		}
	}
	for i := range 512 { // and 12 more right after
		samples = append(samples, distinct(i))
		if i < 12 {
			samples[len(samples)-1] = 0
		}
	}
	for i, v := range verdicts(apt, samples) {
		if v != sp80090b.OK {
			t.Fatalf("sample %d: %v", i, v)
		}
	}
	// Seen from another start the same samples fail.
	apt.Reset()
	list := verdicts(apt, samples[512+47:])
	if first(list, sp80090b.Intermittent) < 0 {
		t.Error("24 equal samples in one window: no alarm")
	}
}

// TestStuck: a source that is stuck for ever gets from one level to the other and
// stays there.
func TestStuck(t *testing.T) {
	for _, value := range []byte{0, 1, 0xFF} {
		stuck := slices.Repeat([]byte{value}, 5*sp80090b.WindowNonBinary)
		rct := newRCT(t, 0.5, 30, 60)
		list := verdicts(rct, stuck)
		if i, p := first(list, sp80090b.Intermittent), first(list, sp80090b.Permanent); i != 61-1 || p != 121-1 {
			t.Errorf("RCT, %#x: alarms at samples %d and %d", value, i, p)
		}
		if slices.Contains(list[121:], sp80090b.OK) || slices.Contains(list[121:], sp80090b.Intermittent) {
			t.Errorf("RCT, %#x: permanent alarm ends", value)
		}
		if got := rct.Add(value ^ 1); got != sp80090b.OK {
			t.Errorf("RCT: %v after the run", got)
		}

		apt := newAPT(t, 0.5, sp80090b.WindowNonBinary, 30, 60)
		list = verdicts(apt, stuck)
		if i, p := first(list, sp80090b.Intermittent), first(list, sp80090b.Permanent); i != 422-1 || p != 447-1 {
			t.Errorf("APT, %#x: alarms at samples %d and %d", value, i, p)
		}
	}
}

// TestReset: samples before a Reset do not count.
func TestReset(t *testing.T) {
	rct := newRCT(t, 8, 20, 30) // cutoffs 4 and 5
	apt := newAPT(t, 8, sp80090b.WindowNonBinary, 20, 30)
	for _, value := range []byte{0, 7} {
		for range 50 {
			if v := max(rct.Add(value), rct.Add(value), rct.Add(value)); v != sp80090b.OK {
				t.Fatalf("RCT: %v", v)
			}
			if v := max(apt.Add(value), apt.Add(value), apt.Add(value)); v != sp80090b.OK {
				t.Fatalf("APT: %v", v)
			}
			rct.Reset()
			apt.Reset()
		}
	}
}

// TestOutOfReach: an alarm that APT cannot raise is left to RCT.
func TestOutOfReach(t *testing.T) {
	apt := newAPT(t, 0.1, sp80090b.WindowNonBinary, 30, 60)
	rct := newRCT(t, 0.1, 30, 60)
	if _, p := apt.Cutoffs(); p != sp80090b.WindowNonBinary+1 {
		t.Fatalf("permanent cutoff of APT: %d", p)
	}
	stuck := make([]byte, 10*sp80090b.WindowNonBinary)
	if slices.Contains(verdicts(apt, stuck), sp80090b.Permanent) {
		t.Error("APT: permanent alarm")
	}
	if got := first(verdicts(rct, stuck), sp80090b.Permanent); got != 600 {
		t.Errorf("RCT: permanent alarm at sample %d", got)
	}
}

// TestGoodData: no alarm at 2^-40 in a megabyte that is as good as claimed.
func TestGoodData(t *testing.T) {
	data := fipstest.S("hwrngd-good", 1<<20)
	for name, test := range map[string]tester{
		"RCT": newRCT(t, 8, 40, 60),
		"APT": newAPT(t, 8, sp80090b.WindowNonBinary, 40, 60),
	} {
		if i, v := test.Scan(data); i != len(data) || v != sp80090b.OK {
			t.Errorf("%s: %v at sample %d", name, v, i)
		}
	}
}

// compareScan checks that Scan, on samples in pieces, finds what Add finds.
func compareScan(t *testing.T, single, batch tester, samples []byte, rng *rand.Rand) {
	t.Helper()
	want := verdicts(single, samples)
	for at := 0; at < len(samples); {
		piece := samples[at : at+1+rng.IntN(min(700, len(samples)-at))]
		for len(piece) > 0 {
			i, v := batch.Scan(piece)
			for j, expected := range want[at : at+i] {
				if expected != sp80090b.OK {
					t.Fatalf("sample %d: Add says %v, Scan passed it", at+j, expected)
				}
			}
			if i == len(piece) {
				if v != sp80090b.OK {
					t.Fatalf("Scan returned the end and %v", v)
				}
				at += i
				break
			}
			if want[at+i] != v {
				t.Fatalf("sample %d: Add says %v, Scan %v", at+i, want[at+i], v)
			}
			at += i + 1
			piece = piece[i+1:]
		}
	}
}

// samplesLike returns n samples, from a seed, over 1 to 256 different values and
// with some runs.
func samplesLike(rng *rand.Rand, values byte, n int) []byte {
	samples := make([]byte, n)
	for i := range samples {
		samples[i] = byte(rng.IntN(int(values) + 1))
		if i > 0 && rng.IntN(4) == 0 {
			samples[i] = samples[i-1]
		}
	}
	return samples
}

func FuzzScan(f *testing.F) {
	f.Add(uint64(1), byte(255), byte(80), []byte{})
	f.Add(uint64(2), byte(1), byte(10), []byte{0, 0, 0})
	f.Add(uint64(3), byte(0), byte(1), []byte("aaaaaaaaaaaaaaaaaaaaaaaab"))
	f.Add(uint64(4), byte(3), byte(20), []byte{1})
	f.Fuzz(func(t *testing.T, seed uint64, values, tenths byte, data []byte) {
		h := float64(tenths%80+1) / 10
		rng := rand.New(rand.NewPCG(seed, 0))
		samples := append(samplesLike(rng, values, 3000), data...)
		compareScan(t, newRCT(t, h, 20, 40), newRCT(t, h, 20, 40), samples, rng)
		const w = sp80090b.WindowNonBinary
		compareScan(t, newAPT(t, h, w, 20, 40), newAPT(t, h, w, 20, 40), samples, rng)
		for i := range samples {
			samples[i] &= 1
		}
		const b = sp80090b.WindowBinary
		h = min(h, 1)
		compareScan(t, newAPT(t, h, b, 20, 40), newAPT(t, h, b, 20, 40), samples, rng)
	})
}

// TestScan is a fixed part of what FuzzScan does.
func TestScan(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		samples := samplesLike(rng, byte(1)<<(seed%8)-1, 20000)
		h := float64(seed%16+1) / 2
		compareScan(t, newRCT(t, h, 20, 40), newRCT(t, h, 20, 40), samples, rng)
		const w = sp80090b.WindowNonBinary
		compareScan(t, newAPT(t, h, w, 20, 40), newAPT(t, h, w, 20, 40), samples, rng)
	}
}

func TestVerdictString(t *testing.T) {
	for v, want := range map[sp80090b.Verdict]string{
		sp80090b.OK: "ok", sp80090b.Intermittent: "intermittent", sp80090b.Permanent: "permanent",
		9: "Verdict(9)",
	} {
		if got := v.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	data := fipstest.S("hwrngd-good", 4096)
	stuck := make([]byte, 4096)
	for name, test := range map[string]tester{
		"RCT": newRCT(t, 8, 20, 60),
		"APT": newAPT(t, 8, sp80090b.WindowNonBinary, 20, 60),
	} {
		n := testing.AllocsPerRun(20, func() {
			test.Add(0)
			test.Scan(data)
			test.Scan(stuck)
			test.Reset()
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	data := fipstest.S("hwrngd-good", 1<<16)
	for _, bench := range []struct {
		name string
		test tester
	}{
		{"RCT", newRCT(b, 8, 40, 60)},
		{"APT", newAPT(b, 8, sp80090b.WindowNonBinary, 40, 60)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				bench.test.Scan(data)
			}
		})
		b.Run(bench.name+"-Add", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				for _, sample := range data {
					bench.test.Add(sample)
				}
			}
		})
	}
}

func ExampleRCT() {
	rct, err := sp80090b.NewRCT(4, 30, 60)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rct.Cutoffs())
	samples := []byte{3, 1, 4, 1, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9}
	for i, sample := range samples {
		if v := rct.Add(sample); v != sp80090b.OK {
			fmt.Println("sample", i, v)
		}
	}
	// Output:
	// 9 16
	// sample 13 intermittent
	// sample 14 intermittent
}

func ExampleAPT_Scan() {
	apt, err := sp80090b.NewAPT(8, sp80090b.WindowNonBinary, 30, 60)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A window with 16 samples equal to its first, 40 apart, wrapping around.
	samples := fipstest.G24(8, 16, sp80090b.WindowNonBinary)
	i, verdict := apt.Scan(samples)
	fmt.Println("sample", i, verdict)
	// Output:
	// sample 480 intermittent
}
