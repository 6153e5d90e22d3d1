package ais31

import (
	"encoding/binary"
	"math/bits"
)

// Sizes of test T5, AIS 20/31: the number of pairs of bits that are compared, also the largest
// shift, and the bits in each half of a sequence.
const (
	pairsT5 = 5000
	halfT5  = 2 * pairsT5
)

// half is half of a sequence, 10,000 bits, the first one the most significant of the first word.
// Behind them are zeros, as far as shifts reach.
type half [(halfT5+63)/64 + 1]uint64

func halfOf(data []byte) (h half) {
	var padded [8 * len(h)]byte
	copy(padded[:], data[:halfT5/8])
	for i := range h {
		h[i] = binary.BigEndian.Uint64(padded[8*i:])
	}
	return h
}

// from returns h without its first n bits, n being less than 64.
func (h *half) from(n int) (shifted half) {
	for i, word := range h[:len(h)-1] {
		shifted[i] = word<<n | h[i+1]>>(64-n)
	}
	return shifted
}

// differ returns in how many of the 5000 pairs of bits j and j+shift the two differ: Z of AIS
// 20/31, test T5. other is h.from(shift % 64).
func (h *half) differ(other *half, shift int) (z int) {
	const whole = pairsT5 / 64
	words := other[shift/64:][:whole+1]
	for i, word := range words[:whole] {
		z += bits.OnesCount64(h[i] ^ word)
	}
	return z + bits.OnesCount64((h[whole]^words[whole])>>(64-pairsT5%64))
}

// shift is what test T5 finds in a sequence.
type shift struct {
	by int // bits
	z  int // pairs of bits that differ at this shift in the second half
}

// worstShift is test T5 as procedure A has it: of the shifts from 1 to 5000, the one for which Z
// in the first half is farthest from 2500, the smallest of these if there are several, is applied
// to the second half.
func worstShift(block *[sequenceBytes]byte) (worst shift) {
	first := halfOf(block[:halfT5/8])
	distance := -1
	for n := range 64 { // one shift within words serves a 64th of all
		shifted := first.from(n)
		for by := n; by <= pairsT5; by += 64 {
			if by == 0 {
				continue
			}
			d := first.differ(&shifted, by) - pairsT5/2
			d = max(d, -d)
			if d > distance || d == distance && by < worst.by {
				distance, worst.by = d, by
			}
		}
	}
	second := halfOf(block[halfT5/8:])
	shifted := second.from(worst.by % 64)
	worst.z = second.differ(&shifted, worst.by)
	return worst
}
