package audit

import (
	"math"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// TestLaneBits counts the bits of each lane one by one, in one stream and in several.
func TestLaneBits(t *testing.T) {
	var sum Counters
	var want [Lanes]int64
	for blocks := range int64(6) {
		c := Counters{Blocks: blocks, OddStreams: blocks % 2}
		sum.Blocks += c.Blocks
		sum.OddStreams += c.OddStreams
		for bit := 8 * blockOffset(0); bit < 8*blockOffset(blocks); bit++ {
			want[bit%Lanes]++
		}
		for lane, n := range want {
			if got := sum.laneBits(lane); got != n {
				t.Fatalf("streams of 0 to %d blocks: lane %d has %d bits, got %d", blocks, lane, n, got)
			}
		}
	}
}

// TestLaneViews compares with counting bit by bit.
func TestLaneViews(t *testing.T) {
	data := good(40, 3)
	c := &Judge(measure(data), Rules{}).Run.Counters
	bit := func(i int64) int64 { return int64(fipstest.Bit(data, int(i))) }
	for _, modulus := range moduli {
		bias := make([]Share, modulus)
		for i := 8 * blockOffset(0); i < 8*blockOffset(3); i++ {
			bias[i%int64(modulus)].Of++
			bias[i%int64(modulus)].Count += bit(i)
		}
		compareShares(t, "bias", c.LaneBias(modulus), bias)
		for _, lag := range ChangeLags {
			equal := make([]Share, modulus)
			for b := range int64(3) {
				for i := 8*blockOffset(b) + int64(lag); i < 8*blockOffset(b+1); i++ {
					equal[i%int64(modulus)].Of++
					equal[i%int64(modulus)].Count += 1 ^ bit(i) ^ bit(i-int64(lag))
				}
			}
			compareShares(t, "correlation", c.LaneCorrelation(lag, modulus), equal)
		}
	}
	for _, lag := range []int{1, 2, 100, MaxLag} {
		var equal Share
		for b := range int64(3) {
			for i := 8*blockOffset(b) + int64(lag); i < 8*blockOffset(b+1); i++ {
				equal.Of++
				equal.Count += 1 ^ bit(i) ^ bit(i-int64(lag))
			}
		}
		if got := c.Correlation()[lag-1]; got != equal {
			t.Errorf("lag %d: %v, want %v", lag, got, equal)
		}
	}
}

func compareShares(t *testing.T, what string, got, want []Share) {
	t.Helper()
	for i, s := range want {
		if got[i] != s {
			t.Errorf("%s of bit %d of %d: %v, want %v", what, i, len(want), got[i], s)
		}
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		share          Share
		fraction, z, p float64
	}{
		{Share{}, 0.5, 0, 1},
		{Share{50, 100}, 0.5, 0, 1},
		{Share{60, 100}, 0.6, 2, 0.0569},
		{Share{40, 100}, 0.4, -2, 0.0569},
		{Share{0, 100}, 0, -10, 2 * math.Exp2(-100)},
	} {
		s := test.share
		if s.Fraction() != test.fraction || s.Z() != test.z || !near(s.P(), test.p, 1e-3) {
			t.Errorf("%+v: %g, z %g, p %g", s, s.Fraction(), s.Z(), s.P())
		}
	}
}

// TestValueViews: what is expected has a z of 0, and one byte more of 256,000 has the z of one byte.
func TestValueViews(t *testing.T) {
	var c Counters
	if c.ByteZ() != [256]float64{} || c.ByteChiSquare() != 0 || c.RunZ() != [2][6]float64{} {
		t.Error("no data is not what is expected")
	}
	for i := range c.Sampled.Values {
		c.Sampled.Values[i] = 1000
	}
	c.Sampled.Values[7] += 10
	c.Sampled.Values[8] -= 10
	sigma := math.Sqrt(1000 * 255. / 256)
	if z := c.ByteZ(); !near(z[7], 10/sigma, 1e-12) || !near(z[8], -10/sigma, 1e-12) || z[9] != 0 {
		t.Errorf("z of bytes: %v", z[7:10])
	}
	if got := c.ByteChiSquare(); got != 0.2 {
		t.Errorf("chi-square %g, want 0.2", got)
	}
	c.Nibbles = [16]int64{110, 90, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	if got := c.NibbleChiSquare(); got != 2 {
		t.Errorf("chi-square of nibbles %g, want 2", got)
	}
	c.Blocks = 4
	for value := range c.Runs {
		for i, law := range runLaws {
			c.Runs[value][i] = int64(math.Round(4*law.mean + 3*math.Sqrt(4*law.variance)))
		}
	}
	for value, lengths := range c.RunZ() {
		for i, z := range lengths {
			if math.Abs(z-3) > 0.03 {
				t.Errorf("runs of %d, value %d: z %g", i+1, value, z)
			}
		}
	}
}

// TestExtremes: bounds of what is longest, against the same by other means.
func TestExtremes(t *testing.T) {
	const blocks = 1000
	c := &Counters{Blocks: blocks, Windows: 4882}
	for _, test := range []struct {
		name      string
		set       func()
		statistic func() Statistic
		p         float64
		where     string
		expected  float64
	}{
		{"no long run", func() {}, func() Statistic { return longestRun(c) }, 1, "below 26", 24.25},
		{"a run of 26", func() { c.LongestRun = 26 }, func() Statistic { return longestRun(c) }, blocks * fips.ChanceLongRun, "", 24.25},
		{"equal bytes", func() { c.LongestEqual = 6 }, func() Statistic { return repetition(c, 8) }, 2.5e6 * math.Exp2(-40), "cutoff 5 at 8 bits a byte", 1 + 21.25/8},
		{"equal bytes at 4 bits", func() { c.LongestEqual = 11 }, func() Statistic { return repetition(c, 4) }, 2.5e6 * math.Exp2(-40), "cutoff 9 at 4 bits a byte", 1 + 21.25/4},
		{"in a window", func() { c.MostInWindow = 16 }, func() Statistic { return proportion(c, 8) }, 4882 * binomialMore(511, 1./256, 15), "cutoff 16 at 8 bits a byte", 11},
		{"in a window at 4 bits", func() { c.MostInWindow = 71 }, func() Statistic { return proportion(c, 4) }, 4882 * binomialMore(511, 1./16, 70), "cutoff 71 at 4 bits a byte", 55},
	} {
		test.set()
		s := test.statistic()
		if !near(s.P, test.p, 0.01) || s.Where != test.where || math.Abs(s.Expected-test.expected) > 1.5 {
			t.Errorf("%s: %+v, want p %.4g, %q, about %g", test.name, s, test.p, test.where, test.expected)
		}
	}
}

// TestStuckBitsBound: a single block with a bit that happens to be stuck is no evidence of 1e-10.
func TestStuckBitsBound(t *testing.T) {
	c := &Counters{Blocks: 1}
	for i := range c.Ever {
		c.Ever[i] = 0xFF
	}
	if s := stuckBits(c); s.P != 1 || s.Value != 0 {
		t.Errorf("none stuck: %+v", s)
	}
	c.Ever[3] = 0x7F
	c.Always[4] = 0x03
	if s := stuckBits(c); s.Value != 3 || s.P != math.Exp2(10-39) {
		t.Errorf("three stuck: %+v", s)
	}
}

// TestRepeatedBound: the bound falls with length and claim.
func TestRepeatedBound(t *testing.T) {
	run := &Run{Counters: Counters{Bytes: 1 << 20}}
	if s := repeated(run, 8); s.P != 1 || s.Value != 0 {
		t.Errorf("none: %+v", s)
	}
	run.Repeat = &Repeat{Offset: 5, Period: 9, Length: 16, Bytes: 100}
	for claim, want := range map[float64]float64{8: math.Exp2(36 - 128), 4: math.Exp2(36 - 64), 1: 1} {
		if s := repeated(run, claim); s.P != want || s.Observed != 100 || s.Where != "offset 5" {
			t.Errorf("claim %g: %+v, want p %g", claim, s, want)
		}
	}
}
