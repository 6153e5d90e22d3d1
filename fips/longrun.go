package fips

import (
	"encoding/binary"
	"math/bits"
)

// hasLongRun reports whether the 64 bits of x hold a run of LongRunBits.
func hasLongRun(x uint64) bool {
	// A bit of same is set if the bit of x there equals its neighbour to the
	// right; a run of 26 bits sets 25 of them. Each step below leaves the bits
	// that start a row of 2, 4, 8, 16 and 25 set bits.
	same := ^(x ^ x<<1) &^ 1
	same &= same << 1
	same &= same << 2
	same &= same << 4
	same &= same << 8
	same &= same << (LongRunBits - 1 - 16)
	return same != 0
}

// longRunNear reports whether there is a long run that lies within, or reaches
// into, the word at offset i of any lane. See tally.scan.
func longRunNear(block *[BlockBytes]byte, i int) bool {
	// Windows of 64 bits at every 32nd bit: any 26 bits that touch the word are
	// wholly inside one of them.
	for lane := i; lane < laneCount*laneBytes; lane += laneBytes {
		for at := max(lane-4, 0); at <= lane+4; at += 4 {
			if hasLongRun(binary.BigEndian.Uint64(block[at:])) {
				return true
			}
		}
	}
	return false
}

// countLongRuns returns the number of long runs in the block. It is slow, and
// called for the few blocks that have any.
func countLongRuns(block *[BlockBytes]byte) int {
	n := 0
	eachRun(block, func(length int) {
		if length >= LongRunBits {
			n++
		}
	})
	return n
}

// eachRun calls f with the length of each run of the block, and with 0 first if
// the block begins with a one.
func eachRun(block *[BlockBytes]byte, f func(length int)) {
	run := 0
	var value uint32 // of the current run, in all bits
	for i := 0; i < BlockBytes; i += 4 {
		word := binary.BigEndian.Uint32(block[i:])
		for left := 32; left > 0; {
			more := min(bits.LeadingZeros32(word^value), left)
			run += more
			word <<= more
			left -= more
			if left > 0 { // the run ends inside this word
				f(run)
				run, value = 0, ^value
			}
		}
	}
	f(run)
}
