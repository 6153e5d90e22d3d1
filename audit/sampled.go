package audit

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"

	"github.com/hwrngd/hwrngd/fips"
)

// sampler takes the figures of Sampled. What several of them count adds up.
type sampler struct {
	blocks    [2]int64 // with an even index, with an odd one
	lags      lagSums
	changes   [len(ChangeLags)]laneCounter
	words     [len(Sampled{}.EqualWords)]int64
	lineEnds  int64
	different [fips.BlockBytes]byte // scratch
}

// isSampled tells whether the block with the given index is one that is sampled.
func isSampled(index int64) bool { return index < SampledAll || index%SampledEvery == 0 }

// add counts the block with the given index.
func (s *sampler) add(block *[fips.BlockBytes]byte, index int64) {
	s.blocks[index%2]++
	s.lags.add(block)
	s.addChanges(block, blockOffset(index))
	s.addWords(block)
	s.lineEnds += int64(bytes.Count(block[:], []byte("\r\n")))
}

// addChanges counts the bits that differ from one before them, lane by lane.
func (s *sampler) addChanges(block *[fips.BlockBytes]byte, offset int64) {
	markChanges(&s.different, block)
	s.changes[0].add(s.different[:], offset)
	for i, lag := range ChangeLags[1:] { // whole bytes
		n := subtle.XORBytes(s.different[:], block[lag/8:], block[:])
		s.changes[i+1].add(s.different[:n], offset+int64(lag/8))
	}
}

// markChanges sets in different the bits of a block that differ from the bit before them.
func markChanges(different, block *[fips.BlockBytes]byte) {
	before := block[0] >> 7 // nothing: the first bit does not count
	at := 0
	for ; at <= len(block)-8; at += 8 {
		word := binary.BigEndian.Uint64(block[at : at+8])
		binary.BigEndian.PutUint64(different[at:at+8], word^(word>>1|uint64(before)<<63))
		before = byte(word & 1)
	}
	for ; at < len(block); at++ {
		different[at] = block[at] ^ (block[at]>>1 | before<<7)
		before = block[at] & 1
	}
}

// addWords counts the words of 1, 2, 4, 8 and 16 bytes that equal the one before them.
func (s *sampler) addWords(block *[fips.BlockBytes]byte) {
	n := subtle.XORBytes(s.different[:], block[1:], block[:])
	s.words[0] += int64(bytes.Count(s.different[:n], []byte{0}))
	for at := 2; at <= len(block)-2; at += 2 {
		if binary.LittleEndian.Uint16(block[at-2:at]) == binary.LittleEndian.Uint16(block[at:at+2]) {
			s.words[1]++
		}
	}
	for at := 4; at <= len(block)-4; at += 4 {
		if binary.LittleEndian.Uint32(block[at-4:at]) == binary.LittleEndian.Uint32(block[at:at+4]) {
			s.words[2]++
		}
	}
	for at := 8; at <= len(block)-8; at += 8 {
		if binary.LittleEndian.Uint64(block[at-8:at]) == binary.LittleEndian.Uint64(block[at:at+8]) {
			s.words[3]++
		}
	}
	for at := 16; at <= len(block)-16; at += 16 {
		if bytes.Equal(block[at-16:at], block[at:at+16]) {
			s.words[4]++
		}
	}
}

// addTo adds the figures to those of d.
func (s *sampler) addTo(d *Sampled) {
	d.Blocks += s.blocks[0] + s.blocks[1]
	s.lags.addTo(d)
	for i, lag := range ChangeLags {
		s.changes[i].addTo(&d.Changes[i])
		for index, blocks := range s.blocks {
			first := int(8 * blockOffset(int64(index)) % Lanes)
			for bit := lag; bit < fips.BlockBits; bit++ {
				d.Pairs[i][(first+bit)%Lanes] += blocks
			}
		}
	}
	for i, n := range s.words {
		d.EqualWords[i] += n
	}
	d.LineEnds += s.lineEnds
}
