package ais31

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// run fails the test unless the data can be judged and the result is coherent.
func run(t *testing.T, data []byte) *Result {
	t.Helper()
	r, err := Run(data)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bytes > int64(len(data)) || r.Bytes > MaxBytes || r.Document != Document {
		t.Errorf("%d of %d bytes used, by %s", r.Bytes, len(data), r.Document)
	}
	// Attempts follow each other without a gap: A, B, then A and B again, if due.
	at := int64(0)
	for i := range 2 {
		for _, p := range []Procedure{r.A, r.B} {
			if len(p.Attempts) > i {
				if p.Attempts[i].Offset != at {
					t.Errorf("an attempt begins at %d, the one before ended at %d", p.Attempts[i].Offset, at)
				}
				at += p.Attempts[i].Bytes
			}
		}
	}
	if at != r.Bytes {
		t.Errorf("attempts end at %d, the result says %d", at, r.Bytes)
	}
	return r
}

// failed lists the tests that failed in an attempt.
func failed(a Attempt) string {
	var list []string
	for _, test := range a.Tests {
		if !test.Passed {
			list = append(list, test.Name)
		}
	}
	return strings.Join(list, " ")
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want int
	}{
		{"BytesA", BytesA, (65536*48 + 257*20000) / 8},
		{"MinBytesB", MinBytesB, 871060},
		{"MaxBytesB", MaxBytesB, 1021060},
		{"MinBytes", MinBytes, 1035716 + 871060},
		{"FirstBytes", FirstBytes, 1035716 + 1021060},
		{"MaxBytes", MaxBytes, 2 * (1035716 + 1021060)},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// TestGood pins the JSON form, with all statistics.
func TestGood(t *testing.T) {
	r := run(t, good(FirstBytes)())
	if r.Verdict != Pass || r.A.Verdict != Pass || r.B.Verdict != Pass || r.Needed != 0 {
		t.Errorf("%s: A %s, B %s, %d bytes needed", r.Verdict, r.A.Verdict, r.B.Verdict, r.Needed)
	}
	got, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	kit.Golden(t, filepath.Join("testdata", "good.json"), string(got)+"\n")
}

// TestFaults has sources with one kind of fault, and the tests of the first attempts that find it.
func TestFaults(t *testing.T) {
	for i, tt := range []struct {
		name string
		data func() []byte
		a, b string
		note string // in some test
	}{
		{"zeros", repeated(0), "t0 t1 t2 t3 t4 t5", "t6a t6b t7a t7b t8", "1 came before 0 of 100000 bits wanted"},
		{"ones", repeated(0xFF), "t0 t1 t2 t3 t4 t5", "t6a t6b t7a t7b t8", "001 came before 0 of 100000 bits wanted; 101"},
		{"alternating", repeated(0x55), "t0 t2 t3 t5", "t6b t7a t7b t8", "sequence 0 fails at a shift of 1 bits"},
		{"bytes counted up", func() []byte { return fipstest.G26(FirstBytes/fips.BlockBytes + 1) }, "t0 t5", "", "fails at a shift of"},
		{"word twice", planted(6, 6*65000), "t0", "", ""},
		{"same bytes, not as a word", planted(6, 6*65000+1), "", "", ""},
		{"bias 0.52", biased(0.52), "t1 t2 t3", "", ""},
		{"bias 0.53", biased(0.53), "t1 t2 t3", "t6a", ""},
		{"a little dependence", chained(1, 0.005), "", "", ""},
		{"on the last bit", chained(1, 0.02), "t2 t3 t5", "t6b", ""},
		{"on the one before", chained(2, 0.02), "t2 t3 t5", "t7a", ""},
		{"on the third", chained(3, 0.02), "t5", "t7b", ""},
		{"on the fourth", chained(4, 0.1), "t3 t5", "t8", "fails at a shift of 4 bits"},
		{"on one far away", chained(777, 0.1), "t5", "", "fails at a shift of 777 bits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			someOf(t, i)
			data := tt.data()
			r := run(t, data)
			a, b := r.A.Attempts[0], r.B.Attempts[0]
			if failed(a) != tt.a || failed(b) != tt.b {
				t.Errorf("A fails %q, B %q, want %q and %q", failed(a), failed(b), tt.a, tt.b)
			}
			notes := ""
			for _, test := range append(a.Tests, b.Tests...) {
				notes += test.Note + "\n"
				if test.Passed != (test.Failures == 0) || len(test.Sequences) > test.Failures {
					t.Errorf("incoherent: %+v", test)
				}
			}
			if !strings.Contains(notes, tt.note) {
				t.Errorf("notes: %s, want %q", notes, tt.note)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
			checkAgainstFIPS(t, a, data)
		})
	}
}

// checkAgainstFIPS fails the test unless T1 to T4 fail the sequences that FIPS 140-1 fails.
func checkAgainstFIPS(t *testing.T, a Attempt, data []byte) {
	t.Helper()
	for i, test := range []fips.Failure{fips.Monobit, fips.Poker, fips.Runs, fips.LongRun} {
		var want []int
		for n := range sequences {
			block := (*[fips.BlockBytes]byte)(data[wordsT0*6+n*fips.BlockBytes:])
			c := fips.Measure(block, 0)
			if fips.Judge1401(block, &c).Has(test) {
				want = append(want, n)
			}
		}
		if got := a.Tests[1+i]; !slices.Equal(got.Sequences, want) || got.Failures != len(want) {
			t.Errorf("%s fails %v, FIPS 140-1 %v", got.Name, got.Sequences, want)
		}
	}
}

func TestShortData(t *testing.T) {
	clean := good(FirstBytes)()
	used := run(t, clean).Bytes
	if used <= MinBytes || used >= FirstBytes {
		t.Errorf("good data: %d bytes used", used)
	}
	if _, err := Run(clean[:used]); err != nil {
		t.Errorf("with the bytes it uses: %v", err)
	}
	for _, n := range []int64{0, 1, BytesA, MinBytes - 1, MinBytes, used - 1} {
		r, err := Run(clean[:n])
		var short *ShortError
		if r != nil || !errors.As(err, &short) || short.Have != n || short.Need != FirstBytes {
			t.Errorf("%d bytes: %+v, %v", n, r, err)
		}
	}
	_, err := Run(nil)
	const want = "cannot run procedures A and B of AIS 20/31 on 0 bytes: a good source needs 1906776 to 2056776, a repetition included 4113552 at most"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	// Bad data never takes more.
	if _, err := Run(make([]byte, FirstBytes)); err != nil {
		t.Errorf("zeros: %v", err)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		s       Statistic
		text    string
		in, out []float64
	}{
		{between("", 2326, 2674), "2326 < x < 2674", []float64{2327, 2673}, []float64{2326, 2674}},
		{within("", fips.Interval{Min: 90, Max: 223}), "90 <= x <= 223", []float64{90, 223}, []float64{89, 224}},
		{below("", 34), "x < 34", []float64{-1, 33}, []float64{34}},
		{above("", 7.976), "7.976 < x", []float64{7.977, 8.1}, []float64{7.976, 7}},
		{atMost("", 0), "x <= 0", []float64{0}, []float64{1}},
	} {
		if got := tt.s.Limits.String(); got != tt.text {
			t.Errorf("%s, want %s", got, tt.text)
		}
		for _, v := range tt.in {
			if !tt.s.Limits.Contain(v) {
				t.Errorf("%s does not contain %v", tt.text, v)
			}
		}
		for _, v := range tt.out {
			if tt.s.Limits.Contain(v) {
				t.Errorf("%s contains %v", tt.text, v)
			}
		}
	}
}
