package audit

import (
	"slices"

	"github.com/hwrngd/hwrngd/fips"
)

// Bias returns the share of ones of all bits.
func (c *Counters) Bias() Share { return Share{c.Ones, c.Blocks * fips.BlockBits} }

// Correlation returns, for the lag of 1 bit at index 0 to that of MaxLag, the share of bits that equal
// the bit so far before them, in the blocks sampled. In fair, independent bits the differences at one
// lag are fair and independent, so this too is a Share.
func (c *Counters) Correlation() []Share {
	shares := make([]Share, MaxLag)
	for i, differ := range c.Sampled.Differ {
		pairs := c.Sampled.Blocks * int64(fips.BlockBits-(i+1))
		shares[i] = Share{pairs - differ, pairs}
	}
	return shares
}

// LaneBias returns the share of ones at each bit of words of modulus bits, 8, 16, 32 or 64. Bit 0 is the
// first in the stream: the most significant one of the first byte.
func (c *Counters) LaneBias(modulus int) []Share {
	shares := make([]Share, modulus)
	for lane, ones := range c.LaneOnes {
		s := &shares[lane%modulus]
		s.Count += ones
		s.Of += c.laneBits(lane)
	}
	return shares
}

// laneBits returns how many bits of whole blocks are in a lane. A block is 312 and a half words of 64
// bits. The first one of a stream follows a word of 32 bits and so begins, and ends, with lane 32; the
// second begins with lane 0 and ends with lane 31.
func (c *Counters) laneBits(lane int) int64 {
	const words = fips.BlockBits / Lanes
	odd := (c.Blocks + c.OddStreams) / 2 // first, third, ... blocks of their streams
	if lane >= Lanes/2 {
		return c.Blocks*words + odd
	}
	return c.Blocks*words + c.Blocks - odd
}

// LaneCorrelation returns the share of bits, at each bit of words of modulus bits, that equal the bit
// lag before them, in the blocks sampled. The lag is one of ChangeLags, or it panics; modulus and
// numbering are those of LaneBias.
func (c *Counters) LaneCorrelation(lag, modulus int) []Share {
	i := slices.Index(ChangeLags[:], lag)
	shares := make([]Share, modulus)
	for lane, changes := range c.Sampled.Changes[i] {
		s := &shares[lane%modulus]
		pairs := c.Sampled.Pairs[i][lane]
		s.Count += pairs - changes
		s.Of += pairs
	}
	return shares
}
