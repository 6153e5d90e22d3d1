package ais31

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// rows returns bits, given as a text and a number of repetitions each.
func rows(parts ...any) []byte {
	var text strings.Builder
	for i := 0; i < len(parts); i += 2 {
		text.WriteString(strings.Repeat(parts[i].(string), parts[i+1].(int)))
	}
	data := make([]byte, (text.Len()+7)/8)
	for i, c := range []byte(text.String()) {
		fipstest.SetBit(data, i, c-'0')
	}
	return data
}

// TestBiasLimits has numbers of ones at the limits of T6a.
func TestBiasLimits(t *testing.T) {
	for ones, want := range map[int]bool{47500: false, 47501: true, 52499: true, 52500: false} {
		if got := testT6a(&reader{data: rows("1", ones, "0", bitsT6a-ones)}).Passed; got != want {
			t.Errorf("%d ones: passed %v, want %v", ones, got, want)
		}
	}
}

// TestTransitionLimits has pairs at the limits of T6b: n01 and n10 are of 100,000.
func TestTransitionLimits(t *testing.T) {
	for _, tt := range []struct {
		n01, n10 int
		want     bool
	}{
		{50000, 52000, false},
		{50000, 51999, true},
		{49000, 49000, false},
		{49000, 49001, true},
		{90000, 10000, true}, // bias is T6a's business
	} {
		data := rows("01", tt.n01, "00", sample-tt.n01, "10", tt.n10, "11", sample-tt.n10)
		if got := testT6b(&reader{data: data}).Passed; got != tt.want {
			t.Errorf("%d and %d: passed %v, want %v", tt.n01, tt.n10, got, tt.want)
		}
	}
}

// TestHomogeneityLimits has the counts on both sides of 15.13 after 00 and 10, and equal ones
// after 01 and 11.
func TestHomogeneityLimits(t *testing.T) {
	for _, tt := range []struct {
		n, failures int
		chi2        float64
	}{
		{50000, 0, 0},
		{50869, 0, 15.10427}, // 4 * 869^2 / (2 * 100,000) * 1/(1 - (869/100,000)^2)
		{50870, 1, 15.13915},
		{0, 1, 200000. / 3},
	} {
		data := rows(
			"001", 50000, "000", 50000, "101", tt.n, "100", sample-tt.n,
			"011", 30000, "010", 70000, "111", 30000, "110", 70000)
		got := testT7(&reader{data: data}, "t7a", 2)
		if got.Failures != tt.failures || got.Verdicts != 2 || got.Note != "" {
			t.Errorf("%d: %+v", tt.n, got)
		}
		if d := got.Statistics[0].Min - tt.chi2; got.Statistics[0].Name != "chi2_after_x0" || d > 1e-3*max(1, tt.chi2) || -d > 1e-3*max(1, tt.chi2) {
			t.Errorf("%d: %+v, want %v", tt.n, got.Statistics[0], tt.chi2)
		}
		if s := got.Statistics[1]; s.Name != "chi2_after_x1" || s.Min != 0 {
			t.Errorf("%d: %+v, want 0", tt.n, s)
		}
	}
	for _, n := range []int{0, sample} { // one value only: nothing differs
		if got := homogeneity(n, n); got != 0 {
			t.Errorf("%d ones in both: %v", n, got)
		}
	}
}

// TestFollowEnds: a step ends with the tuple that fills the last sample, or at its limit.
func TestFollowEnds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		data  []byte
		bits  int64
		note  string
		short bool
	}{
		{"at once", rows("01", sample, "10", sample, "11", 1000), 400000, "", false},
		{"waiting", rows("01", 3*sample/2-1, "10", sample, "11", 1000), 499998, "", false},
		{"just in time", rows("01", 3*sample/2, "10", sample, "11", 1000), 500000, "", false},
		{"too late", rows("01", 3*sample/2+1, "10", sample, "11", 1000), 500000, "1 came before 99999 of 100000 bits wanted", false},
		{"never", rows("01", 3*sample), 500000, "1 came before 0 of 100000 bits wanted", false},
		{"end of data", rows("01", sample, "10", sample-4), 399992, "1 came before 99996 of 100000 bits wanted", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := &reader{data: tt.data}
			table := follow(in, 1)
			if note := table.missing(0, 1); note != tt.note || in.at != tt.bits || in.short != tt.short {
				t.Errorf("%q after %d bits, short %v; want %q after %d, %v", note, in.at, in.short, tt.note, tt.bits, tt.short)
			}
		})
	}
}

// TestRareFollowers: within what T6a and T6b allow, the rarest predecessors of T7b come up often
// enough before the limit of tuples.
func TestRareFollowers(t *testing.T) {
	const limit = 8 * sample / 4 * 5
	rarest := 1.0
	for _, p1 := range []float64{0.475, 0.525} {
		for _, change := range []float64{0.98, 1.02} { // p01 + p10
			start := [2]float64{1 - p1, p1}
			step := [2][2]float64{{1 - p1*change, p1 * change}, {(1 - p1) * change, 1 - (1-p1)*change}}
			for tuple := range 8 {
				a, b, c := tuple>>2, tuple>>1&1, tuple&1
				rarest = min(rarest, start[a]*step[a][b]*step[b][c])
			}
		}
	}
	mean := sample / rarest
	deviation := math.Sqrt(sample*(1-rarest)) / rarest
	t.Logf("probability %.4f: %.0f tuples, standard deviation %.0f", rarest, mean, deviation)
	if mean+8*deviation > limit {
		t.Errorf("%.0f tuples needed on average, +- %.0f; the limit is %d", mean, deviation, limit)
	}
}

// TestFirstFollowers: only the first 100,000 after each predecessor count.
func TestFirstFollowers(t *testing.T) {
	table := follow(&reader{data: rows("00", sample, "01", 1000, "11", 40000, "10", 60000)}, 1)
	if want := (followerTable{{sample, 0}, {sample, 40000}}); !slices.Equal(table, want) {
		t.Errorf("%v, want %v", table, want)
	}
}

// TestRepeats counts words of test T0 that come again.
func TestRepeats(t *testing.T) {
	data := fipstest.Shake("words", wordsT0*wordBytesT0)
	if got := repeats(data); got != 0 {
		t.Fatalf("good data: %d", got)
	}
	for n := 1; n <= 3; n++ {
		copy(data[6*(1000*n):], data[:6])
		if got := repeats(data); got != n {
			t.Errorf("%d copies: %d", n, got)
		}
	}
	data[6*1000] ^= 0x80
	data[6*2000+5] ^= 1
	if got := repeats(data); got != 1 {
		t.Errorf("two copies changed in one bit, first and last: %d", got)
	}
}

// TestWorstShift compares with the oracle.
func TestWorstShift(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{'s', 'h', 'i', 'f', 't'})
	random := func() (block [sequenceBytes]byte) {
		rng.Read(block[:])
		return block
	}
	type test struct {
		name  string
		block [sequenceBytes]byte
		by    int // 0: whatever the oracle says
	}
	tests := []test{{"zeros", [sequenceBytes]byte{}, 1}}
	for _, period := range []int{1, 2, 63, 64, 65, 4999, 5000} {
		block := random()
		for i := period; i < 8*sequenceBytes; i++ {
			fipstest.SetBit(block[:], i, fipstest.Bit(block[:], i-period)^1)
		}
		tests = append(tests, test{"opposite", block, period})
	}
	for range 8 {
		tests = append(tests, test{"random", random(), 0})
	}
	for _, tt := range tests {
		by, z := oracleShift(tt.block[:])
		if got := worstShift(&tt.block); got.by != by || got.z != z || tt.by > 0 && by != tt.by {
			t.Errorf("%s: %d bits differ at %d, want %d at %d, planted %d", tt.name, got.z, got.by, z, by, tt.by)
		}
	}
}

// TestEntropyOfPeriods: if words come again after d words, f is the g of d, and 0 for d = 1.
func TestEntropyOfPeriods(t *testing.T) {
	for _, tt := range []struct {
		period int
		want   float64
	}{
		{1, 0}, {2, 1.442695}, {4, 2.644941}, // (1 + 1/2 + 1/3) / ln 2
		{256, 8.829927},
	} {
		data := make([]byte, bitsT8/8)
		for i := range data {
			data[i] = byte(i % tt.period)
		}
		got := testT8(&reader{data: data})
		if d := got.Statistics[0].Min - tt.want; d > 1e-5 || d < -1e-5 || got.Passed != (tt.want > 7.976) {
			t.Errorf("period %d: %+v, want %v", tt.period, got, tt.want)
		}
	}
}
