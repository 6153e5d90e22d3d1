package audit

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// equalScan follows the sequences of equal bytes of a stream.
type equalScan struct {
	value  byte  // of the sequence in progress
	length int64 // of it, so far; 0 before the first byte
	ended  equalRuns
}

// equalRuns are the longest of the sequences of equal bytes, and those of MinPlateau bytes and
// more.
type equalRuns struct {
	longest  int64
	plateaus []Plateau // in the order of the stream
}

// add looks at data that begins at the given offset of the stream.
func (s *equalScan) add(data []byte, offset int64) {
	at := 0
	if s.length > 0 {
		at = leading(data, s.value)
		s.length += int64(at)
		if at < len(data) {
			s.ended.add(s.value, s.length, offset+int64(at))
		}
	}
	for at < len(data) {
		at = s.next(data, at)
		s.value = data[at]
		n := leading(data[at:], s.value)
		s.length = int64(n)
		at += n
		if at < len(data) {
			s.ended.add(s.value, s.length, offset+int64(at))
		}
	}
}

// next returns where the next sequence begins that is longer than any before and might be longer than
// two bytes, or one near the end of the data. A sequence begins at the given place.
func (s *equalScan) next(data []byte, from int) int {
	// Compare eight bytes with those behind them. A zero byte is a pair of equal ones. Once there was a
	// sequence of three, only four count, and these are three at an even place: two zero bytes at one
	// place of four. That is rare in good data, which is so passed over quickly.
	lanes := zeroLanes{low: 0x0101010101010101, high: 0x8080808080808080}
	if s.ended.longest >= 3 {
		lanes = zeroLanes{low: 0x0001000100010001, high: 0x8000800080008000}
	}
	rest := data[from:]
	for len(rest) > 32 {
		b := (*[33]byte)(rest)
		if lanes.pairs(b[0:9])|lanes.pairs(b[8:17])|lanes.pairs(b[16:25])|lanes.pairs(b[24:33]) != 0 {
			break
		}
		rest = rest[32:]
	}
	at := len(data) - len(rest)
	for ; at+9 <= len(data); at += 8 {
		if zero := lanes.pairs(data[at : at+9]); zero != 0 {
			at += bits.TrailingZeros64(zero) / 8
			break
		}
	}
	for at > from && data[at-1] == data[at] {
		at--
	}
	return at
}

// zeroLanes finds zero bytes, or zero words of 16 bits, in a word of 64 bits. It has the lowest and the
// highest bit of each.
type zeroLanes struct{ low, high uint64 }

// pairs compares eight bytes with those one place behind. The lowest bit set in the result is the high bit
// of the lowest byte, or word, in which all are equal. If there is none the result is zero.
func (l zeroLanes) pairs(b []byte) uint64 {
	differ := binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[1:])
	return (differ - l.low) &^ differ & l.high
}

// leading returns how many bytes at the start of the data have the value.
func leading(data []byte, value byte) int {
	all := uint64(value) * 0x0101010101010101
	n := 0
	for ; n+8 <= len(data); n += 8 {
		if differ := binary.LittleEndian.Uint64(data[n:]) ^ all; differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
	}
	for n < len(data) && data[n] == value {
		n++
	}
	return n
}

// add takes a sequence that ends before the given offset of the stream.
func (r *equalRuns) add(value byte, length, end int64) {
	r.longest = max(r.longest, length)
	if length < MinPlateau {
		return
	}
	r.plateaus = append(r.plateaus, Plateau{Offset: end - length, Length: length, Value: value})
	if len(r.plateaus) > MaxPlateaus {
		// The shortest goes. Of several it is the last, as what came first is kept.
		shortest := 0
		for i, p := range r.plateaus {
			if p.Length <= r.plateaus[shortest].Length {
				shortest = i
			}
		}
		r.plateaus = slices.Delete(r.plateaus, shortest, shortest+1)
	}
}

// runs returns what there is if the stream ends at the given offset.
func (s *equalScan) runs(end int64) equalRuns {
	r := equalRuns{s.ended.longest, slices.Clone(s.ended.plateaus)}
	if s.length > 0 {
		r.add(s.value, s.length, end)
	}
	return r
}
