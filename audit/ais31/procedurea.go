package ais31

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hwrngd/hwrngd/fips"
)

// Sizes of procedure A, AIS 20/31, test procedure A.
const (
	wordsT0       = 1 << 16 // of 48 bits
	wordBytesT0   = 48 / 8
	sequences     = 257 // of 20,000 bits, a block of FIPS 140-1
	sequenceBytes = fips.BlockBytes
)

// attemptA applies procedure A to the start of the data. It needs BytesA of them.
func attemptA(data []byte) (Attempt, bool) {
	if len(data) < BytesA {
		return Attempt{}, false
	}
	disjointness := newTest("t0", "disjointness", 1, chanceT0, atMost("repeats", 0))
	monobit := newTest("t1", "monobit", sequences, fips.Chance1401(fips.Monobit),
		within("ones", fips.FIPS1401.Ones))
	// AIS 20/31, test T2: passed if 1.03 < X < 57.4.
	poker := newTest("t2", "poker", sequences, fips.Chance1401(fips.Poker), between("x", 1.03, 57.4))
	runs := newTest("t3", "runs", sequences, fips.Chance1401(fips.Runs), runsLimits()...)
	longRun := newTest("t4", "long run", sequences, fips.Chance1401(fips.LongRun),
		below("longest_run", fips.LongRunBits1401))
	// AIS 20/31, test T5: passed if 2326 < Z < 2674.
	autocorrelation := newTest("t5", "autocorrelation", sequences, chanceT5, between("z", 2326, 2674))

	disjointness.judge(0, float64(repeats(data[:wordsT0*wordBytesT0])))
	data = data[wordsT0*wordBytesT0:]
	for i := range sequences {
		block := (*[sequenceBytes]byte)(data[i*sequenceBytes:])
		c := fips.Measure(block, 0) // the word before is for repeated words, no test here
		monobit.judge(i, float64(c.Ones))
		poker.judge(i, float64(16*c.SumSquares()-5000*5000)/5000)
		runs.judge(i, runsFigures(&c)...)
		longRun.judge(i, float64(fips.LongestRun(block)))
		worst := worstShift(block)
		autocorrelation.judge(i, float64(worst.z))
		if autocorrelation.Failures == 1 && autocorrelation.Note == "" {
			autocorrelation.Note = fmt.Sprintf("sequence %d fails at a shift of %d bits", i, worst.by)
		}
	}
	return attemptOf(BytesA, []Test{disjointness, monobit, poker, runs, longRun, autocorrelation}), true
}

// repeats returns how many of the 48-bit words equal an earlier one: test T0.
func repeats(data []byte) (n int) {
	words := make([]uint64, 0, wordsT0)
	for ; len(data) > 0; data = data[wordBytesT0:] {
		words = append(words, uint64(binary.BigEndian.Uint16(data))<<32|uint64(binary.BigEndian.Uint32(data[2:])))
	}
	slices.Sort(words)
	for i, word := range words[1:] {
		if word == words[i] {
			n++
		}
	}
	return n
}

// runsLimits are the statistics of test T3, in the order of runsFigures: runs of zeros, then of
// ones, of 1 to 5 and of 6 and more bits.
func runsLimits() (list []Statistic) {
	for v := range 2 {
		for i, limits := range fips.FIPS1401.Runs {
			list = append(list, within(fmt.Sprintf("runs_of_%d_length_%d", v, i+1), limits))
		}
	}
	return list
}

func runsFigures(c *fips.Counts) (list []float64) {
	for v := range 2 {
		for _, n := range c.Runs[v] {
			list = append(list, float64(n))
		}
	}
	return list
}

// within returns a statistic that passes in the interval, its ends included.
func within(name string, limits fips.Interval) Statistic {
	s := between(name, float64(limits.Min), float64(limits.Max))
	s.Limits.Inclusive = true
	return s
}
