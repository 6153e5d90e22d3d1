package audit

import "github.com/hwrngd/hwrngd/fips"

// Sizes of what is counted.
const (
	// MaxLag is the largest distance in bits at which correlation is measured.
	MaxLag = 256
	// Lanes is the number of bit positions that are told apart: those of a 64-bit word. The
	// figures for words of 8, 16 and 32 bits are sums of these.
	Lanes = 64
	// RowBytes is the length of the rows in which bits that never change are looked for.
	RowBytes = 64
)

// ChangeLags are the distances in bits at which each lane is compared with what came before:
// with its neighbour and with itself one word of 8, 16, 32 and 64 bits earlier.
var ChangeLags = [...]int{1, 8, 16, 32, 64}

// Counters are what was counted in a stream, or in several: they add up, see Add. All of it is
// over whole blocks; the word that precedes the first block (FIPS 140-2, Change Notice 1, section
// 4.9.2) and an unfinished last block are only in Bytes.
//
// Bits are numbered from the first bit of the stream, the most significant one of its first
// byte, that first word included. A lane is the position of a bit modulo 64.
type Counters struct {
	Bytes  int64 `json:"bytes"`  // read, whatever became of them
	Blocks int64 `json:"blocks"` // whole blocks of fips.BlockBytes
	// OddStreams is the number of streams with an odd number of blocks. A block ends in the middle
	// of a word of 64 bits, so those have a bit more in half of the lanes.
	OddStreams int64 `json:"odd_streams"`

	FIPS1402 Failures `json:"fips_140_2"`
	FIPS1401 Failures `json:"fips_140_1"`

	Ones       int64        `json:"ones"`
	Nibbles    [16]int64    `json:"nibbles"`     // 4-bit groups by value
	Runs       [2][6]int64  `json:"runs"`        // runs of zeros, of ones: of 1 to 5 bits, of 6 and more, cut at block borders
	LongestRun int          `json:"longest_run"` // of equal bits within a block; 0 where no block has one of fips.LongRunBits
	LaneOnes   [Lanes]int64 `json:"lane_ones"`

	// Ever and Always tell, for each bit of rows of RowBytes bytes, whether it was ever one and
	// always one; they are zero without blocks. Rows begin at the first byte of the stream.
	Ever   [RowBytes]byte `json:"ever_one"`
	Always [RowBytes]byte `json:"always_one"`

	// LongestEqual is the longest sequence of equal bytes, at most 1<<31 - 1. MostInWindow is the
	// largest number of bytes equal to the first in a window of sp80090b.WindowNonBinary bytes, the
	// first included; Windows is their number. Windows follow one another from the first byte of
	// the first block, and an unfinished one does not count. These are the statistics of the
	// repetition count and of the adaptive proportion test (SP 800-90B, January 2018, section 4.4).
	LongestEqual int   `json:"longest_equal_bytes"`
	MostInWindow int   `json:"most_in_window"`
	Windows      int64 `json:"windows"`

	Sampled Sampled `json:"sampled"`
}

// Failures counts blocks by the tests they failed. A block may fail several.
type Failures struct {
	Any   int64    `json:"any"`
	Tests [5]int64 `json:"tests"` // in the order of fips.Tests
}

// Sampled are figures that cost too much to take of every block: they are of the first
// SampledAll blocks of a stream and of every SampledEvery-th one after those.
type Sampled struct {
	Blocks int64      `json:"blocks"`
	Values [256]int64 `json:"byte_values"` // bytes by value
	// Differ counts, for each lag from 1 (at index 0) to MaxLag, the pairs of bits of one block
	// at that distance that differ. There are fips.BlockBits - lag pairs in a block.
	Differ [MaxLag]int64 `json:"differ_at_lag"`
	// Changes counts, for each of ChangeLags and each lane, the bits that differ from the bit
	// so far before them in the same block; Pairs counts the pairs looked at.
	Changes [len(ChangeLags)][Lanes]int64 `json:"lane_changes"`
	Pairs   [len(ChangeLags)][Lanes]int64 `json:"lane_pairs"`
	// EqualWords counts the words of 1, 2, 4, 8 and 16 bytes that equal the word before them
	// in the same block, words being counted from the start of the block.
	EqualWords [5]int64 `json:"equal_words"`
	// LineEnds counts line feeds right after a carriage return.
	LineEnds int64 `json:"line_ends"`
}

// Which blocks are sampled.
const (
	SampledAll   = 4096
	SampledEvery = 64
)

// record adds one block.
func (f *Failures) record(failed fips.Failure) {
	if failed == 0 {
		return
	}
	f.Any++
	for i, test := range fips.Tests {
		if failed.Has(test) {
			f.Tests[i]++
		}
	}
}
