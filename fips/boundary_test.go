package fips_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// base is a block that passes, with nothing near a limit.
func base() *fipstest.Block {
	block := fipstest.Block(fipstest.Shake("base0", fips.BlockBytes))
	return &block
}

var good = base()

// prev is a word that base does not start with.
const prev = 0xDEADBEEF

func wantCheck(t *testing.T, block *fipstest.Block, prev uint32, want fips.Failure) {
	t.Helper()
	if got := fips.Check(block, prev); got != want {
		t.Errorf("Check: got %v, want %v; counts %+v", got, want, fips.Measure(block, prev))
	}
}

func TestMonobitLimits(t *testing.T) {
	for _, test := range []struct {
		ones int
		want fips.Failure
	}{
		{9724, fips.Monobit},
		{9725, fips.Monobit},
		{9726, 0},
		{9727, 0},
		{10273, 0},
		{10274, 0},
		{10275, fips.Monobit},
		{10276, fips.Monobit},
	} {
		t.Run(fmt.Sprint(test.ones), func(t *testing.T) {
			block := base()
			fipstest.SetOnes(block, test.ones, 3, 37)
			if got := fips.Measure(block, prev).Ones; got != test.ones {
				t.Errorf("%d ones", got)
			}
			wantCheck(t, block, prev, test.want)
		})
	}
}

func TestPokerLimits(t *testing.T) {
	for _, test := range []struct {
		sum  int64
		want fips.Failure
	}{
		{1563174, fips.Poker}, {1563176, 0}, {1576928, 0}, {1576930, fips.Poker},
	} {
		t.Run(fmt.Sprint(test.sum), func(t *testing.T) {
			block := fipstest.G5(test.sum)
			counts := fips.Measure(block, prev)
			if got := counts.SumSquares(); got != test.sum {
				t.Errorf("sum of squares is %d", got)
			}
			wantCheck(t, block, prev, test.want)
		})
	}
}

// TestRunsLimits has a block for both ends of the interval of each length, for
// zeros and for ones, and for the counts next to them on the outside.
func TestRunsLimits(t *testing.T) {
	for v := range 2 {
		for i, limits := range fips.FIPS1402.Runs {
			for _, test := range []struct {
				count int64
				want  fips.Failure
			}{
				{limits.Min - 1, fips.Runs},
				{limits.Min, 0},
				{limits.Max, 0},
				{limits.Max + 1, fips.Runs},
			} {
				t.Run(fmt.Sprintf("%d-runs of %d/%d", i+1, v, test.count), func(t *testing.T) {
					block := blockWithRuns(t, v, i, int(test.count), test.want)
					if got := fips.Measure(block, prev).Runs[v][i]; got != int(test.count) {
						t.Errorf("%d runs", got)
					}
					wantCheck(t, block, prev, test.want)
				})
			}
		}
	}
}

// blockWithRuns builds a block out of runs in random order, with the given number
// of runs of value v and of i+1 bits (6 and more for i = 5) and all other counts
// far from their limits. It tries orders until the other tests pass.
func blockWithRuns(t *testing.T, v, i, count int, want fips.Failure) *fipstest.Block {
	t.Helper()
	nominal := [6]int{2500, 1250, 625, 312, 156, 156}
	spread := [6]int{46, 32, 23, 17, 12, 12} // about one standard deviation
	counts := [2][6]int{nominal, nominal}
	counts[v][i] = count
	// There must be as many runs of ones as of zeros. Make up for the change in
	// the other lengths, or, where this would need more bits than there are, in
	// the runs of the other value.
	change := count - nominal[i]
	other := v
	if i == 0 && change < 0 {
		other, change = 1-v, -change
	}
	for left, j := change, 0; left != 0; j = (j + 1) % 6 {
		if other == v && j == i {
			continue
		}
		step := min(spread[j], max(left, -left))
		if left < 0 {
			step = -step
		}
		counts[other][j] -= step
		left -= step
	}

	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, uint64(count)))
		var lengths [2][]int
		bits := 0
		for value := range 2 {
			for j := 5; j >= 0; j-- { // those of 6 and more first
				for range counts[value][j] {
					lengths[value] = append(lengths[value], j+1)
					bits += j + 1
				}
			}
		}
		for bits < fips.BlockBits { // lengthen the long ones
			value := rng.IntN(2)
			long := &lengths[value][rng.IntN(counts[value][5])]
			if *long < 22 {
				*long++
				bits++
			}
		}
		if bits > fips.BlockBits || len(lengths[0]) != len(lengths[1]) {
			t.Fatalf("no such block: %d bits, %v", bits, counts)
		}
		for value := range 2 {
			rng.Shuffle(len(lengths[value]), func(a, b int) {
				lengths[value][a], lengths[value][b] = lengths[value][b], lengths[value][a]
			})
		}
		var block fipstest.Block
		at, value := 0, rng.IntN(2)
		for n := range 2 * len(lengths[0]) {
			for range lengths[value][n/2] {
				fipstest.SetBit(block[:], at, byte(value))
				at++
			}
			value = 1 - value
		}
		if fips.Check(&block, prev)&^fips.Runs == 0 {
			return &block
		}
	}
	t.Fatalf("no block with %d runs of %d bits fails nothing but the runs test (want %v)", count, i+1, want)
	return nil
}

// TestLongRunLimits has runs of 25 and of 26 bits at the ends of the block, at the
// borders between the lanes that the code works in, and elsewhere.
func TestLongRunLimits(t *testing.T) {
	for v := range byte(2) {
		for _, length := range []int{24, 25, 26, 27, 34} {
			want := fips.Failure(0)
			if length >= 26 {
				want = fips.LongRun
			}
			places := map[string]int{
				"start": 0, "second bit": 1, "middle": 10001,
				"last but one": fips.BlockBits - length - 1, "end": fips.BlockBits - length,
				"lane border": 4992 - 13, "lane start": 2 * 4992, "lane end": 3*4992 - length,
				"into the last 32 bits": 4*4992 - 10, "up to the last 32 bits": 4*4992 - length,
				"one bit into the last 32": 4*4992 - length + 1,
			}
			for place, pos := range places {
				t.Run(fmt.Sprintf("%d of %d/%s", length, v, place), func(t *testing.T) {
					block := base()
					fipstest.SetRun(block[:], pos, length, v)
					wantCheck(t, block, prev, want)
				})
			}
		}
	}
}

// TestLongRunEverywhere has runs of 25 and of 26 bits at every place of a block:
// the code finds long runs by different ways, depending on where they cross the
// borders of words.
func TestLongRunEverywhere(t *testing.T) {
	for v := range byte(2) {
		for length := 25; length <= 26; length++ {
			for pos := 0; pos+length <= fips.BlockBits; pos++ {
				block := *good
				fipstest.SetRun(block[:], pos, length, v)
				if got := fips.Check(&block, prev).Has(fips.LongRun); got != (length == 26) {
					t.Fatalf("%d of %d at bit %d: long run found: %v", length, v, pos, got)
				}
			}
		}
	}
}

// TestRunsEndWithTheBlock: two halves of a long run in two blocks are no long run.
func TestRunsEndWithTheBlock(t *testing.T) {
	for _, test := range []struct {
		half int
		want fips.Failure
	}{{20, 0}, {25, 0}, {26, fips.LongRun}} {
		t.Run(fmt.Sprint(test.half), func(t *testing.T) {
			first, second := base(), base()
			fipstest.SetRun(first[:], fips.BlockBits-test.half, test.half, 1)
			fipstest.SetRun(second[:], 0, test.half, 1)
			var tester fips.Tester
			for i, block := range []*fipstest.Block{first, second} {
				if got := tester.Block(block); got != test.want {
					t.Errorf("block %d: got %v, want %v", i, got, test.want)
				}
			}
		})
	}
}

func TestContinuousRun(t *testing.T) {
	word := func(i int) uint32 {
		b := base()
		return uint32(b[i])<<24 | uint32(b[i+1])<<16 | uint32(b[i+2])<<8 | uint32(b[i+3])
	}
	for _, test := range []struct {
		name     string
		from, to int // copy 4 bytes inside the block
		prev     uint32
		want     fips.Failure
	}{
		{"none", 0, 0, prev, 0},
		{"first word", 0, 0, word(0), fips.ContinuousRun},
		{"one bit off", 0, 0, word(0) ^ 1, 0},
		{"bytes reversed", 0, 0, word(0)<<24 | word(0)>>24 | word(0)>>8&0xFF00 | word(0)&0xFF00<<8, 0},
		{"second word", 0, 4, prev, fips.ContinuousRun},
		{"aligned", 996, 1000, prev, fips.ContinuousRun},
		{"unaligned", 998, 1002, prev, 0},
		{"one word between", 996, 1004, prev, 0},
		{"last word", 2492, 2496, prev, fips.ContinuousRun},
	} {
		t.Run(test.name, func(t *testing.T) {
			block := base()
			copy(block[test.to:], append([]byte(nil), block[test.from:test.from+4]...))
			wantCheck(t, block, test.prev, test.want)
		})
	}
	for at := 4; at < fips.BlockBytes; at += 4 { // every pair of neighbours
		block := base()
		copy(block[at:at+4], block[at-4:at])
		if !fips.Check(block, prev).Has(fips.ContinuousRun) {
			t.Errorf("repeated word at byte %d not seen", at)
		}
	}
}
