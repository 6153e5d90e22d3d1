package fips

import "encoding/binary"

// repeats returns how many of the block's 625 words of 32 bits equal the word
// before them. prev is the word before the first.
func repeats(block *[BlockBytes]byte, prev uint32) int {
	if !anyRepeat(block, prev) {
		return 0
	}
	n := 0
	for i := 0; i < BlockBytes; i += 4 {
		word := binary.BigEndian.Uint32(block[i:])
		if word == prev {
			n++
		}
		prev = word
	}
	return n
}

// anyRepeat reports whether repeats would find any. It stops at the first, and
// its only branches are ones that a good block never takes.
func anyRepeat(block *[BlockBytes]byte, prev uint32) bool {
	if binary.BigEndian.Uint32(block[:]) == prev {
		return true
	}
	// 624 pairs of neighbours, eight at a time. Equality does not depend on the
	// order of bytes, and little-endian loads are single instructions on most
	// machines.
	for i := 0; i <= BlockBytes-36; i += 32 {
		b := block[i : i+36 : i+36]
		w0 := binary.LittleEndian.Uint32(b[0:])
		w1 := binary.LittleEndian.Uint32(b[4:])
		w2 := binary.LittleEndian.Uint32(b[8:])
		w3 := binary.LittleEndian.Uint32(b[12:])
		w4 := binary.LittleEndian.Uint32(b[16:])
		w5 := binary.LittleEndian.Uint32(b[20:])
		w6 := binary.LittleEndian.Uint32(b[24:])
		w7 := binary.LittleEndian.Uint32(b[28:])
		w8 := binary.LittleEndian.Uint32(b[32:])
		if w0 == w1 || w1 == w2 || w2 == w3 || w3 == w4 ||
			w4 == w5 || w5 == w6 || w6 == w7 || w7 == w8 {
			return true
		}
	}
	return false
}
