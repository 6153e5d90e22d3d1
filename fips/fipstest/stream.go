// Package fipstest makes streams of test data with known verdicts: good data,
// data with one planted fault, and the output of broken generators. Everything is
// computed from a label, so a stream is the same wherever it is made.
//
// The functions G1, G2, ... have the numbers under which the project's field
// cases list them; the numbers that are missing are no streams. A stream starts
// with the 4 bytes that prime the continuous run test and goes on with blocks of
// fips.BlockBytes bytes. Split takes it apart.
package fipstest

import (
	"crypto/sha256"
	"crypto/sha3"
	"encoding/binary"

	"github.com/hwrngd/hwrngd/fips"
)

// A Block is one block of the FIPS 140-2 tests.
type Block = [fips.BlockBytes]byte

// S returns the first n bytes of SHA-256(label, 0), SHA-256(label, 1), ..., with
// the counters as 8 bytes, most significant first.
func S(label string, n int) []byte {
	out := make([]byte, 0, n+sha256.Size)
	in := append([]byte(label), make([]byte, 8)...)
	for counter := uint64(0); len(out) < n; counter++ {
		binary.BigEndian.PutUint64(in[len(label):], counter)
		sum := sha256.Sum256(in)
		out = append(out, sum[:]...)
	}
	return out[:n]
}

// Shake returns the first n bytes of SHAKE-256("hwrngd-fips/" + tag), the base of
// the vectors that were checked against rngtest.
func Shake(tag string, n int) []byte {
	out := make([]byte, n)
	NewShake(tag).Read(out)
	return out
}

// NewShake returns the endless stream that Shake cuts off.
func NewShake(tag string) *sha3.SHAKE {
	h := sha3.NewSHAKE256()
	h.Write([]byte("hwrngd-fips/" + tag))
	return h
}

// Split returns the priming word and copies of the whole blocks of a stream of 4
// bytes or more.
func Split(stream []byte) (boot [4]byte, blocks []*Block) {
	boot = [4]byte(stream)
	for b := stream[len(boot):]; len(b) >= fips.BlockBytes; b = b[fips.BlockBytes:] {
		block := Block(b)
		blocks = append(blocks, &block)
	}
	return boot, blocks
}

// Bit returns bit i of b; bit 0 is the most significant bit of the first byte.
func Bit(b []byte, i int) byte { return b[i/8] >> (7 - i%8) & 1 }

// SetBit sets bit i of b to v, 0 or 1.
func SetBit(b []byte, i int, v byte) {
	mask := byte(0x80) >> (i % 8)
	b[i/8] &^= mask
	if v != 0 {
		b[i/8] |= mask
	}
}

// SetRun makes a run of exactly n bits of value v at bit pos of b, by setting
// them, and the neighbours on both sides, where there are any, to the other value.
func SetRun(b []byte, pos, n int, v byte) {
	for i := range n {
		SetBit(b, pos+i, v)
	}
	if pos > 0 {
		SetBit(b, pos-1, v^1)
	}
	if pos+n < 8*len(b) {
		SetBit(b, pos+n, v^1)
	}
}

// SetOnes changes bits of the block until it has the wanted number of ones. It
// visits bits first, first+step, first+2*step, ..., modulo the size of the block.
func SetOnes(block *Block, want, first, step int) {
	ones := 0
	for i := range fips.BlockBits {
		ones += int(Bit(block[:], i))
	}
	for at := first; ones != want; at += step {
		i := at % fips.BlockBits
		switch v := Bit(block[:], i); {
		case v == 0 && ones < want:
			SetBit(block[:], i, 1)
			ones++
		case v == 1 && ones > want:
			SetBit(block[:], i, 0)
			ones--
		}
	}
}
