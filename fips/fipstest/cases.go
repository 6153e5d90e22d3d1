package fipstest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hwrngd/hwrngd/fips"
)

// size returns the length of a stream of n blocks.
func size(n int) int { return 4 + n*fips.BlockBytes }

// G1 is good data, n blocks of it. Of the first 2000 blocks exactly one fails:
// block 1216, counted from 0, monobit.
func G1(n int) []byte { return S("hwrngd-good", size(n)) }

// G1Block returns block i of G1, counted from 0.
func G1Block(i int) *Block {
	block := Block(G1(i + 1)[size(i):])
	return &block
}

// planted returns the first four blocks of G1, the third with a run of n bits of
// value v at bit pos.
func planted(pos, n int, v byte) []byte {
	stream := G1(4)
	SetRun(stream[size(2):size(3)], pos, n, v)
	return stream
}

// G2 is four blocks, the third with a run of 26 ones: it fails long run only.
func G2() []byte { return planted(8003, 26, 1) }

// G3 is G2 with n ones: up to 25 pass.
func G3(n int) []byte { return planted(8003, n, 1) }

// G4 is a block with the given number of ones, all else unsuspicious for numbers
// near 10,000: 9726 to 10274 pass, others fail monobit only.
func G4(ones int) *Block {
	block := G1Block(4)
	SetOnes(block, ones, 11, 7919)
	return block
}

// pokerCounts are nibble counts by their sum of squares.
var pokerCounts = map[int64][16]int{
	1563174: {313, 308, 318, 305, 309, 321, 317, 302, 316, 308, 322, 323, 302, 310, 314, 312},
	1563176: {313, 307, 319, 312, 321, 314, 315, 321, 304, 310, 322, 304, 302, 305, 319, 312},
	1576928: {313, 327, 299, 308, 347, 318, 339, 274, 278, 286, 271, 351, 353, 356, 268, 312},
	1576930: {313, 273, 353, 347, 284, 279, 271, 326, 341, 354, 282, 299, 342, 283, 341, 312},
}

// G5 is a block whose squared nibble counts have the given sum: one of the edges
// of the poker test, 1563176 and 1576928, or their outer neighbours, 1563174 and
// 1576930. (The sum always is even.) Only the poker test's verdict changes.
func G5(sum int64) *Block {
	counts, ok := pokerCounts[sum]
	if !ok {
		panic(fmt.Sprintf("fipstest: no nibble counts for a sum of %d", sum))
	}
	type dealt struct {
		key   [sha256.Size]byte
		value byte
	}
	var deck []dealt
	for value, n := range counts {
		for range n {
			in := append([]byte("hwrngd-poker"), 0, 0, 0, 0)
			in = binary.BigEndian.AppendUint32(in, uint32(len(deck)))
			deck = append(deck, dealt{sha256.Sum256(in), byte(value)})
		}
	}
	slices.SortFunc(deck, func(a, b dealt) int { return bytes.Compare(a.key[:], b.key[:]) })
	var block Block
	for i, d := range deck {
		block[i/2] = block[i/2]<<4 | d.value
	}
	return &block
}

// G7 is G2 with 26 zeros.
func G7() []byte { return planted(8003, 26, 0) }

// G8 is G2 with the run at the start or the end of the block.
func G8(atEnd bool) []byte {
	if atEnd {
		return planted(fips.BlockBits-26, 26, 1)
	}
	return planted(0, 26, 1)
}

// G10 is n blocks of ones: all fail every test.
func G10(n int) []byte { return bytes.Repeat([]byte{0xFF}, size(n)) }

// G11 is good data for the given number of blocks, then zeros, n blocks in all.
// Zeros fail every test.
func G11(good, n int) []byte {
	return append(G1(good), make([]byte, (n-good)*fips.BlockBytes)...)
}

// G12 repeats the same bytes, period of them: a stale buffer. All blocks fail
// monobit, poker and runs, none continuous run or long run, for 16 and 64.
func G12(period, n int) []byte {
	return cycle(S("hwrngd-rep16", period), size(n))
}

// G15 is biased: a bit is one with probability p. With 0.40 and 0.45 no block of
// 100 passes, with 0.495 99 do.
func G15(p float64, n int) []byte {
	out := make([]byte, size(n))
	words := S("hwrngd-bias", 16*len(out))
	limit := uint16(p * 65536)
	for i := range 8 * len(out) {
		if binary.BigEndian.Uint16(words[2*i:]) < limit {
			SetBit(out, i, 1)
		}
	}
	return out
}

// G16 is 100 good blocks, apart from 4096 zero bytes at offset 100,000 of the
// stream: 97 pass.
func G16() []byte {
	stream := G1(100)
	clear(stream[100000:104096])
	return stream
}

// G17 has a zero byte after every 31 good ones: all blocks fail poker.
func G17(n int) []byte {
	var out []byte
	for good := G1(n); len(out) < size(n); good = good[31:] {
		out = append(append(out, good[:min(31, len(good))]...), 0)
	}
	return out[:size(n)]
}

// G18 has each 32-bit word of G1 twice: all blocks fail continuous run.
func G18(n int) []byte {
	var out []byte
	for good := G1(n); len(out) < size(n); good = good[4:] {
		out = append(append(out, good[:4]...), good[:4]...)
	}
	return out[:size(n)]
}

// G21 is text in place of data: "top", G1 with the top bit of each byte cleared;
// "hex" and "base64", G1 in these encodings. No block passes.
func G21(form string, n int) []byte {
	stream := G1(n)
	switch form {
	case "top":
		for i := range stream {
			stream[i] &= 0x7F
		}
	case "hex":
		stream = []byte(hex.EncodeToString(stream))
	case "base64":
		stream = []byte(base64.StdEncoding.EncodeToString(stream))
	default:
		panic("fipstest: no such form: " + form)
	}
	return stream[:size(n)]
}

// G26 is a counter, bytes 0 to 255 repeated: 34 of 100 blocks pass.
func G26(n int) []byte {
	period := make([]byte, 256)
	for i := range period {
		period[i] = byte(i)
	}
	return cycle(period, size(n))
}

// cycle repeats b up to n bytes.
func cycle(b []byte, n int) []byte {
	return bytes.Repeat(b, n/len(b)+1)[:n]
}
