package fips_test

import (
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

func TestFailure(t *testing.T) {
	for i, test := range []struct {
		failure fips.Failure
		bit     uint8
		name    string
	}{
		{fips.Monobit, 1, "monobit"},
		{fips.Poker, 2, "poker"},
		{fips.Runs, 4, "runs"},
		{fips.LongRun, 8, "long_run"},
		{fips.ContinuousRun, 16, "continuous_run"},
	} {
		if uint8(test.failure) != test.bit || fips.Tests[i] != test.failure {
			t.Errorf("%s: value %d, Tests[%d] = %v", test.name, test.failure, i, fips.Tests[i])
		}
		if test.failure.Name() != test.name || test.failure.String() != test.name {
			t.Errorf("%s: Name %q, String %q", test.name, test.failure.Name(), test.failure)
		}
		if test.failure.Chance() <= 0 {
			t.Errorf("%s: no chance", test.name)
		}
	}
	set := fips.Monobit | fips.Runs
	if got := set.String(); got != "monobit+runs" {
		t.Errorf("String of a set: %q", got)
	}
	if set.Name() != "" || set.Chance() != 0 || fips.Failure(0).Name() != "" {
		t.Error("Name or Chance of what is not one test")
	}
	if got := fips.Failure(0).String(); got != "pass" {
		t.Errorf("String of 0: %q", got)
	}
	if !set.Has(fips.Runs) || !set.Has(fips.Runs|fips.Poker) || set.Has(fips.Poker) || set.Has(0) {
		t.Error("Has")
	}
}

func TestCountsAdd(t *testing.T) {
	var sum fips.Counts
	var blocks []fips.Counts
	for _, block := range []*fipstest.Block{base(), {}, fipstest.G4(9000)} {
		c := fips.Measure(block, 0)
		blocks = append(blocks, c)
		sum.Add(&c)
	}
	total := func(of func(c *fips.Counts) int) (n int) {
		for i := range blocks {
			n += of(&blocks[i])
		}
		return n
	}
	ok := sum.Ones == total(func(c *fips.Counts) int { return c.Ones }) &&
		sum.LongRuns == total(func(c *fips.Counts) int { return c.LongRuns }) && sum.LongRuns == 1 &&
		sum.Repeats == total(func(c *fips.Counts) int { return c.Repeats }) && sum.Repeats == 625
	for i := range sum.Nibbles {
		ok = ok && sum.Nibbles[i] == total(func(c *fips.Counts) int { return c.Nibbles[i] })
	}
	for v := range 2 {
		for i := range sum.Runs[v] {
			ok = ok && sum.Runs[v][i] == total(func(c *fips.Counts) int { return c.Runs[v][i] })
		}
	}
	if !ok {
		t.Errorf("sum %+v of %+v", sum, blocks)
	}
}

// TestOtherLimits: Judge goes by the limits that it is given.
func TestOtherLimits(t *testing.T) {
	zeros := fips.Measure(&fipstest.Block{}, 0)
	if got := fips.FIPS1402.Judge(&zeros); got != 31 {
		t.Errorf("zeros, FIPS 140-2 limits: got %v", got)
	}
	anything := fips.Interval{Max: 1 << 40}
	lax := fips.Limits{
		Ones: anything, SumSquares: anything,
		Runs:     [6]fips.Interval{anything, anything, anything, anything, anything, anything},
		LongRuns: 1, Repeats: 625,
	}
	if got := lax.Judge(&zeros); got != 0 {
		t.Errorf("zeros, no limits: got %v", got)
	}
	lax.Repeats--
	if got := lax.Judge(&zeros); got != fips.ContinuousRun {
		t.Errorf("zeros, 624 repeats allowed: got %v", got)
	}
}

// TestTesterUnprimed: without a word before it, the first word of a stream passes,
// whatever it is; from then on words are chained.
func TestTesterUnprimed(t *testing.T) {
	zeroFirst := base()
	clear(zeroFirst[:4])
	ffFirst := base()
	copy(ffFirst[:], "\xff\xff\xff\xff")
	ffFirst[4] = 0 // or there would be a long run
	for _, first := range []*fipstest.Block{base(), zeroFirst, ffFirst} {
		var tester fips.Tester
		if got := tester.Measure(first).Repeats; got != 0 {
			t.Errorf("unprimed, first word %x: %d repeats", first[:4], got)
		}
	}

	var tester fips.Tester
	tester.Prime([4]byte(zeroFirst[:4]))
	if got := tester.Block(zeroFirst); !got.Has(fips.ContinuousRun) {
		t.Errorf("primed with its first word: got %v", got)
	}
	next := base()
	copy(next[:4], zeroFirst[fips.BlockBytes-4:])
	if got := tester.Block(next); got != fips.ContinuousRun {
		t.Errorf("first word is the last of the block before: got %v", got)
	}
	tester = fips.Tester{}
	if got := tester.Block(next); got != 0 {
		t.Errorf("after a gap: got %v", got)
	}
}

func TestNoAllocation(t *testing.T) {
	var tester fips.Tester
	for name, block := range map[string]*fipstest.Block{
		"good": base(), "zeros": {}, "long run": (*fipstest.Block)(fipstest.G2()[5004:7504]),
	} {
		var failed fips.Failure
		n := testing.AllocsPerRun(100, func() {
			failed |= fips.Check(block, 0) | tester.Block(block)
			c := fips.Measure(block, 0)
			failed |= fips.FIPS1402.Judge(&c)
		})
		if n != 0 {
			t.Errorf("%s block: %v allocations", name, n)
		}
	}
}
