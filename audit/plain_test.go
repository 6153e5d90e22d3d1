package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/source/repeat"
)

// plainRun counts a stream the plain and slow way: bit by bit, byte by byte, over all of it at once.
func plainRun(stream []byte) *Run {
	run := &Run{}
	run.Bytes = int64(len(stream))
	sum := sha256.Sum256(stream)
	run.SHA256 = hex.EncodeToString(sum[:])
	run.Head = stream[:min(len(stream), HeadBytes)]
	for _, b := range stream {
		if b != '\t' && b != '\r' && b != '\n' && (b < 32 || b > 126) {
			break
		}
		run.TextPrefix++
	}
	detector := repeat.New(MinRepeat)
	detector.Scan(stream)
	if m, ok := detector.First(); ok {
		run.Repeat = &Repeat{Offset: m.Offset, Period: m.Period, Length: m.Length, Bytes: detector.Repeated()}
	}
	if len(stream) < 4+fips.BlockBytes {
		return run
	}

	run.Blocks = int64(len(stream)-4) / fips.BlockBytes
	run.OddStreams = run.Blocks % 2
	blocks := stream[4 : 4+run.Blocks*fips.BlockBytes]
	for i := range int(run.Blocks) {
		plainBlock(run, i, (*[fips.BlockBytes]byte)(blocks[i*fips.BlockBytes:]), [4]byte(stream[i*fips.BlockBytes:]))
	}
	plainTimeline(run)
	for i := 4; i < 4+len(blocks); i++ {
		if i < 4+RowBytes {
			run.Always[i%RowBytes] = 0xFF
		}
		run.Ever[i%RowBytes] |= stream[i]
		run.Always[i%RowBytes] &= stream[i]
		for j := range 8 {
			run.LaneOnes[(8*i+j)%Lanes] += int64(fipstest.Bit(stream[i:], j))
		}
	}
	plainPlateaus(run, blocks)
	for windows := blocks; len(windows) >= 512; windows = windows[512:] {
		run.Windows++
		most := 0
		for _, b := range windows[:512] {
			if b == windows[0] {
				most++
			}
		}
		run.MostInWindow = max(run.MostInWindow, most)
	}
	return run
}

// plainBlock counts block i. before is the word before it.
func plainBlock(run *Run, i int, block *[fips.BlockBytes]byte, before [4]byte) {
	ones, length := 0, 0
	var counts fips.Counts
	for at := range fips.BlockBits {
		bit := fipstest.Bit(block[:], at)
		ones += int(bit)
		length++
		if at+1 < fips.BlockBits && fipstest.Bit(block[:], at+1) == bit {
			continue
		}
		run.Runs[bit][min(length, 6)-1]++
		counts.Runs[bit][min(length, 6)-1]++
		if length >= fips.LongRunBits {
			counts.LongRuns++
			run.LongestRun = max(run.LongestRun, length)
		}
		length = 0
	}
	for _, b := range block {
		run.Nibbles[b>>4]++
		run.Nibbles[b&15]++
		counts.Nibbles[b>>4]++
		counts.Nibbles[b&15]++
	}
	for at := 0; at < len(block); at += 4 {
		word := [4]byte(block[at:])
		if word == before {
			counts.Repeats++
		}
		before = word
	}
	counts.Ones = ones
	run.Ones += int64(ones)
	failed := fips.FIPS1402.Judge(&counts)
	plainFailures(&run.FIPS1402, failed)
	plainFailures(&run.FIPS1401, fips.Judge1401(block, &counts))
	if failed != 0 && len(run.Failed) < 1000 {
		run.Failed = append(run.Failed, FailedBlock{
			Index: int64(i), Offset: 4 + 2500*int64(i), Tests: failed, Failed: failed.String(), Ones: ones,
		})
	}
	one := Bin{Blocks: 1, Ones: int64(ones)}
	if failed != 0 {
		one.Failed = 1
	}
	run.Timeline = append(run.Timeline, one)
	if i < 4096 || i%64 == 0 {
		plainSample(&run.Sampled, block, 32+i*fips.BlockBits)
	}
}

func plainFailures(f *Failures, failed fips.Failure) {
	if failed != 0 {
		f.Any++
	}
	for i, test := range fips.Tests {
		if failed&test != 0 {
			f.Tests[i]++
		}
	}
}

// plainSample takes the figures of a block whose first bit has the given number.
func plainSample(s *Sampled, block *[fips.BlockBytes]byte, first int) {
	s.Blocks++
	for i, b := range block {
		s.Values[b]++
		if i > 0 && block[i-1] == '\r' && b == '\n' {
			s.LineEnds++
		}
	}
	for i := range s.EqualWords {
		size := 1 << i
		for at := size; at+size <= len(block); at += size {
			if string(block[at-size:at]) == string(block[at:at+size]) {
				s.EqualWords[i]++
			}
		}
	}
	var bits [fips.BlockBits]byte
	for i := range bits {
		bits[i] = fipstest.Bit(block[:], i)
	}
	for i, lag := range ChangeLags {
		for at := lag; at < len(bits); at++ {
			s.Pairs[i][(first+at)%64]++
			s.Changes[i][(first+at)%64] += int64(bits[at] ^ bits[at-lag])
		}
	}
	if *block == [fips.BlockBytes]byte{} {
		return // no bits differ
	}
	for lag := 1; lag <= MaxLag; lag++ {
		var differ int64
		for at, bit := range bits[lag:] {
			differ += int64(bit ^ bits[at])
		}
		s.Differ[lag-1] += differ
	}
}

// plainTimeline joins the bins of one block until they are few enough.
func plainTimeline(run *Run) {
	run.BinBlocks = 1
	for 256*run.BinBlocks < int(run.Blocks) {
		run.BinBlocks *= 2
	}
	bins := run.Timeline
	run.Timeline = nil
	for some := range slices.Chunk(bins, run.BinBlocks) {
		var sum Bin
		for _, b := range some {
			sum.Blocks += b.Blocks
			sum.Failed += b.Failed
			sum.Ones += b.Ones
		}
		run.Timeline = append(run.Timeline, sum)
	}
}

// plainPlateaus measures the sequences of equal bytes.
func plainPlateaus(run *Run, blocks []byte) {
	var all []Plateau
	for at := 0; at < len(blocks); {
		p := Plateau{Offset: int64(4 + at), Value: blocks[at]}
		for at < len(blocks) && blocks[at] == p.Value {
			p.Length++
			at++
		}
		run.LongestEqual = max(run.LongestEqual, int(p.Length))
		if p.Length >= 16 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Plateau) int { return cmp.Compare(b.Length, a.Length) })
	all = all[:min(len(all), 16)]
	slices.SortFunc(all, func(a, b Plateau) int { return cmp.Compare(a.Offset, b.Offset) })
	run.Plateaus = all
}
