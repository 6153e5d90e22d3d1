package fips

import (
	"slices"
	"testing"
)

// naiveRuns returns the lengths of all runs of a block, bit by bit.
func naiveRuns(block *[BlockBytes]byte) (lengths []int) {
	bit := func(i int) byte { return block[i/8] >> (7 - i%8) & 1 }
	start := 0
	for i := 1; i <= BlockBits; i++ {
		if i == BlockBits || bit(i) != bit(i-1) {
			lengths = append(lengths, i-start)
			start = i
		}
	}
	return lengths
}

// compareRuns fails the test unless eachRun and LongestRun agree with naiveRuns.
func compareRuns(t *testing.T, block *[BlockBytes]byte) {
	t.Helper()
	want := naiveRuns(block)
	longest := slices.Max(want)
	if block[0]>>7 == 1 {
		want = append([]int{0}, want...)
	}
	var got []int
	eachRun(block, func(length int) { got = append(got, length) })
	if !slices.Equal(got, want) {
		t.Fatalf("eachRun: %v, want %v\nblock %x", got, want, *block)
	}
	if got := LongestRun(block); got != longest {
		t.Fatalf("LongestRun: %d, want %d\nblock %x", got, longest, *block)
	}
}

// TestEachRun has blocks whose runs end at, before and after the borders of words.
func TestEachRun(t *testing.T) {
	for _, period := range []int{1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 1000, 9999, 10000, 19968, 19999, BlockBits} {
		for first := range 2 {
			var block [BlockBytes]byte
			for i := range BlockBits {
				if (i/period+first)%2 == 1 {
					block[i/8] |= 0x80 >> (i % 8)
				}
			}
			compareRuns(t, &block)
		}
	}
}

// FuzzLongestRun compares with bit by bit counting on blocks made from parameters.
func FuzzLongestRun(f *testing.F) {
	f.Add(uint64(1), uint16(0), uint16(0), uint16(0), uint16(34))
	f.Add(uint64(2), uint16(16), uint16(0), uint16(19967), uint16(33))
	f.Add(uint64(3), uint16(3), uint16(0), uint16(0), uint16(19999))
	f.Add(uint64(4), uint16(12), uint16(1), uint16(31), uint16(34))
	f.Fuzz(func(t *testing.T, seed uint64, shape, period, runAt, runLength uint16) {
		compareRuns(t, fill(seed, shape, period, runAt, runLength))
	})
}
