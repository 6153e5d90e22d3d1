package fips_test

import (
	"fmt"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// judge1401 judges a block that follows the word prev.
func judge1401(block *fipstest.Block) fips.Failure {
	c := fips.Measure(block, prev)
	return fips.Judge1401(block, &c)
}

// TestJudge1401Limits has counts at both ends of each interval and next to them outside, in
// an otherwise good block.
func TestJudge1401Limits(t *testing.T) {
	type test struct {
		name string
		set  func(c *fips.Counts)
		want fips.Failure
	}
	var tests []test
	edges := func(name string, low, high, step int, failure fips.Failure, set func(c *fips.Counts, n int)) {
		for n, want := range map[int]fips.Failure{low - step: failure, low: 0, high: 0, high + step: failure} {
			tests = append(tests, test{fmt.Sprint(name, " ", n), func(c *fips.Counts) { set(c, n) }, want})
		}
	}
	edges("ones", 9655, 10345, 1, fips.Monobit, func(c *fips.Counts, n int) { c.Ones = n })
	edges("squares", 1562822, 1580436, 2, fips.Poker, func(c *fips.Counts, n int) { c.Nibbles = nibblesWith(n) })
	for i, limits := range [6][2]int{{2267, 2733}, {1079, 1421}, {502, 748}, {223, 402}, {90, 223}, {90, 223}} {
		for v := range 2 {
			edges(fmt.Sprintf("runs of %d, %d times", v, i+1), limits[0], limits[1], 1, fips.Runs,
				func(c *fips.Counts, n int) { c.Runs[v][i] = n })
		}
	}
	tests = append(tests,
		test{"no repeat", func(c *fips.Counts) { c.Repeats = 0 }, 0},
		test{"repeat", func(c *fips.Counts) { c.Repeats = 1 }, fips.ContinuousRun})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fips.Measure(good, prev)
			tt.set(&c)
			if got := fips.Judge1401(good, &c); got != tt.want {
				t.Errorf("got %v, want %v; counts %+v", got, tt.want, c)
			}
		})
	}
}

// nibblesWith returns 16 counts that add up to 5000 and whose squares add up to sum, an even
// number from 1,562,504 on. Counts of 312+d, 312-d add 2d^2 to the least sum there is, and
// any number is the sum of four squares.
func nibblesWith(sum int) (counts [16]int) {
	for i := range counts {
		counts[i] = 312 + i%2
	}
	left := (sum - 1562504) / 2
	for a := 0; a*a <= left; a++ {
		for b := a; a*a+b*b <= left; b++ {
			for c := b; a*a+b*b+c*c <= left; c++ {
				for d := c; a*a+b*b+c*c+d*d <= left; d++ {
					if a*a+b*b+c*c+d*d == left {
						for i, by := range []int{a, b, c, d} {
							counts[4*i] += by
							counts[4*i+2] -= by
						}
						return counts
					}
				}
			}
		}
	}
	panic(fmt.Sprintf("no counts with a sum of squares of %d", sum))
}

// TestJudge1401 compares with FIPS 140-2 on whole blocks: FIPS 140-1 lets pass what is a
// little off.
func TestJudge1401(t *testing.T) {
	const every = fips.Monobit | fips.Poker | fips.Runs | fips.LongRun | fips.ContinuousRun
	long := base()
	fipstest.SetRun(long[:], 777, 34, 1)
	for _, tt := range []struct {
		name       string
		block      *fipstest.Block
		old, later fips.Failure
	}{
		{"good", good, 0, 0},
		{"zeros", &fipstest.Block{}, every, every},
		{"ones", (*fipstest.Block)(fipstest.G10(1)[4:]), every &^ fips.ContinuousRun, every &^ fips.ContinuousRun},
		{"9725 ones", fipstest.G4(9725), 0, fips.Monobit},
		{"10275 ones", fipstest.G4(10275), 0, fips.Monobit},
		{"squares just too few", fipstest.G5(1563174), 0, fips.Poker},
		{"squares just too many", fipstest.G5(1576930), 0, fips.Poker},
		{"26 ones", (*fipstest.Block)(fipstest.G2()[5004:7504]), 0, fips.LongRun},
		{"33 ones", (*fipstest.Block)(fipstest.G3(33)[5004:7504]), 0, fips.LongRun},
		{"34 ones", long, fips.LongRun, fips.LongRun},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := fips.Measure(tt.block, 0)
			if tt.name == "ones" { // their first word has no equal before it, the others have
				c.Repeats = 0
			}
			if got := fips.Judge1401(tt.block, &c); got != tt.old {
				t.Errorf("FIPS 140-1: got %v, want %v", got, tt.old)
			}
			if got := fips.FIPS1402.Judge(&c); got != tt.later {
				t.Errorf("FIPS 140-2: got %v, want %v", got, tt.later)
			}
		})
	}
}

// TestLongestRunLimits has runs around the limit at the edges of the block and at and around
// the borders of 32-bit words.
func TestLongestRunLimits(t *testing.T) {
	for v := range byte(2) {
		for _, length := range []int{26, 32, 33, 34, 35, 64, 100} {
			want := fips.Failure(0)
			if length >= 34 {
				want = fips.LongRun
			}
			for place, pos := range map[string]int{
				"start": 0, "second bit": 1, "word": 3200, "before a word": 3199, "after a word": 3201,
				"up to a word": 6400 - length, "middle": 10001,
				"last but one": fips.BlockBits - length - 1, "end": fips.BlockBits - length,
			} {
				t.Run(fmt.Sprintf("%d of %d/%s", length, v, place), func(t *testing.T) {
					block := base()
					fipstest.SetRun(block[:], pos, length, v)
					if got := fips.LongestRun(block); got != length {
						t.Errorf("longest run of %d bits", got)
					}
					if got := judge1401(block) & fips.LongRun; got != want {
						t.Errorf("long run test: %v, want %v", got, want)
					}
				})
			}
		}
	}
}

// TestLongestRunEverywhere has runs of 33 and of 34 bits all over a block, at each place within
// a 32-bit word.
func TestLongestRunEverywhere(t *testing.T) {
	block := *good
	for length := 33; length <= 34; length++ {
		for pos := 0; pos+length <= fips.BlockBits; pos += 37 {
			fipstest.SetRun(block[:], pos, length, byte(pos&1))
			got, failed := fips.LongestRun(&block), judge1401(&block).Has(fips.LongRun)
			if got != length || failed != (length == 34) {
				t.Fatalf("%d at bit %d: longest run %d, fails %v", length, pos, got, failed)
			}
			from, to := max(pos-1, 0)/8, min((pos+length)/8+1, fips.BlockBytes)
			copy(block[from:to], good[from:to])
		}
	}
}

// TestLongestRunEndsWithTheBlock: halves of a run in two blocks are two runs.
func TestLongestRunEndsWithTheBlock(t *testing.T) {
	first, second := base(), base()
	fipstest.SetRun(first[:], fips.BlockBits-33, 33, 1)
	fipstest.SetRun(second[:], 0, 33, 1)
	for i, block := range []*fipstest.Block{first, second} {
		if got, failed := fips.LongestRun(block), judge1401(block); got != 33 || failed != 0 {
			t.Errorf("block %d: longest run %d, fails %v", i, got, failed)
		}
	}
	for v, block := range []*fipstest.Block{{}, (*fipstest.Block)(fipstest.G10(1)[4:])} {
		if got := fips.LongestRun(block); got != fips.BlockBits {
			t.Errorf("all bits %d: longest run %d", v, got)
		}
	}
}

func TestChance1401(t *testing.T) {
	for _, test := range fips.Tests {
		// The limits of FIPS 140-1 are wider.
		if got := fips.Chance1401(test); got <= 0 || got > test.Chance() {
			t.Errorf("%v: %g", test, got)
		}
	}
	for _, test := range []fips.Failure{0, fips.Monobit | fips.Poker, 1 << 5} {
		if got := fips.Chance1401(test); got != 0 {
			t.Errorf("%d is not one test: %g", test, got)
		}
	}
}
