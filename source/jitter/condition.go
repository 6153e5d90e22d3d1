package jitter

import (
	"crypto/sha512"
	"encoding/binary"
	"math"
	"math/bits"
)

const (
	// BlockSize is the size of one conditioned block in bytes: the output of SHA-512.
	BlockSize = sha512.Size
	// surplus is how many bits of min-entropy more than its output a conditioner takes in, so that
	// the output has full entropy: SP 800-90C (3rd draft, 2022), section 3.2.2.2, h_in >= n_out + 64.
	surplus = 64
)

// samplesPerBlock returns how many samples of h bits of min-entropy make one block.
func samplesPerBlock(h float64) int {
	w := (8*BlockSize + surplus) / h
	return int(math.Ceil(w - w*0x1p-50)) // a claim such as 1/3 is a little off as a float64
}

// conditioner turns samples into blocks of full entropy: SHA-512, a vetted conditioning component of
// SP 800-90B section 3.1.5.1.2, over enough samples for one block. A counter and a fold of the times
// in full go in beside them and count for nothing.
type conditioner struct {
	need    int
	samples []byte // of the block in hand; has room for the counter and the fold
	fold    uint64
	blocks  uint64 // made since the start
}

func newConditioner(h float64) *conditioner {
	need := samplesPerBlock(h)
	return &conditioner{need: need, samples: make([]byte, 0, need+16)}
}

// missing returns how many samples the block in hand lacks.
func (c *conditioner) missing() int { return c.need - len(c.samples) }

// add takes in samples, at most missing of them, and the times that they stand for.
func (c *conditioner) add(samples []byte, deltas []int64) {
	c.samples = append(c.samples, samples...)
	for _, d := range deltas {
		c.fold = bits.RotateLeft64(c.fold, 7) ^ uint64(d)
	}
}

// block writes a full block to dst, once missing is 0, and begins the next.
func (c *conditioner) block(dst *[BlockSize]byte) {
	c.blocks++
	input := binary.BigEndian.AppendUint64(c.samples, c.blocks)
	input = binary.BigEndian.AppendUint64(input, c.fold)
	*dst = sha512.Sum512(input)
	c.drop()
}

// drop forgets the samples in hand.
func (c *conditioner) drop() {
	clear(c.samples[:cap(c.samples)])
	c.samples, c.fold = c.samples[:0], 0
}
