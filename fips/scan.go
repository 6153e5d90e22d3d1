package fips

import (
	"encoding/binary"
	"math/bits"
)

// The word loop reads a block as four lanes of 624 consecutive bytes, one 64-bit
// word of each at a time. Four bytes are left over: 20,000 = 4*78*64 + 32.
const (
	laneCount = 4
	laneBytes = 624
)

// tally is what the word loop counts. It sees the block as a row of nibbles and
// calls a bit "continuing" if it equals the bit before it. A bit that does not
// continue is a boundary: it ends a run, whose value is that of the bit before.
type tally struct {
	// sets[s] counts the nibbles that have all properties of the set s:
	// 1 = the first bit is one; 2, 4, 8 = the second, third, fourth bit
	// continues.
	sets [16]int
	// joined counts the nibbles whose first bit continues.
	joined int
	// ended[k] and endedZeros[k], 2 <= k <= 6, count the boundaries that end a
	// run, and a run of zeros, of k or more bits, provided that the k bits
	// before the boundary reach back into an earlier nibble. (The others
	// follow from the frequencies of the nibbles.)
	ended, endedZeros [7]int
	// carry holds what a word needs to know of the word before it in its lane.
	carry [6]uint64
	// long is set if there is a long run.
	long bool
}

// scan runs the word loop.
//
// The four words are transposed into planes, a bit of a plane for each of 64
// nibbles: bits 4n+3 to 4n of plane j are the j-th bits of nibble 15-n of lanes
// 0 to 3. One nibble earlier is then a shift by four places, with the last nibble
// of the word before moving in (the carry), and the neighbours inside a nibble
// need no shift at all.
//
// Each property or event is then a mask over 64 nibbles and one population count.
// Two facts keep these few. Whatever lies within a nibble follows from the 16
// frequencies, which the poker test needs anyway: 15 counts. And among the
// boundaries that end a run of k bits reaching into an earlier nibble, a nibble
// has one at most, its first: 11 more counts. All in all 26 for 32 bytes.
func (t *tally) scan(block *[BlockBytes]byte) {
	const (
		pairs        = 0x3333333333333333
		odd          = 0x5555555555555555
		secondNibble = 0x0F00000000000000
	)
	t.seed(block)
	lane0 := block[0*laneBytes : 1*laneBytes]
	lane1 := block[1*laneBytes : 2*laneBytes]
	lane2 := block[2*laneBytes : 3*laneBytes]
	lane3 := block[3*laneBytes : 4*laneBytes]
	for i := 0; i <= laneBytes-8; i += 8 {
		p0 := binary.BigEndian.Uint64(lane0[i : i+8])
		p1 := binary.BigEndian.Uint64(lane1[i : i+8])
		p2 := binary.BigEndian.Uint64(lane2[i : i+8])
		p3 := binary.BigEndian.Uint64(lane3[i : i+8])

		// Transpose: swap 2x2 corners, then single bits.
		x := (p2>>2 ^ p0) & pairs
		p0 ^= x
		p2 ^= x << 2
		x = (p3>>2 ^ p1) & pairs
		p1 ^= x
		p3 ^= x << 2
		x = (p1>>1 ^ p0) & odd
		p0 ^= x
		p1 ^= x << 1
		x = (p3>>1 ^ p2) & odd
		p2 ^= x
		p3 ^= x << 1

		// c0 to c3: the first to fourth bit of the nibble continues. With two
		// planes and the bit before inverted, each is one exclusive-or.
		p1 = ^p1
		p3 = ^p3
		zero := p3>>4 | t.carry[0] // the bit before the nibble is zero
		t.carry[0] = p3 << 60
		c0 := p0 ^ zero
		c1 := p0 ^ p1
		c2 := p1 ^ p2
		c3 := p2 ^ p3

		t.sets[1] += bits.OnesCount64(p0)
		t.sets[2] += bits.OnesCount64(c1)
		t.sets[3] += bits.OnesCount64(c1 & p0)
		t.sets[4] += bits.OnesCount64(c2)
		t.sets[5] += bits.OnesCount64(c2 & p0)
		x = c1 & c2
		t.sets[6] += bits.OnesCount64(x)
		t.sets[7] += bits.OnesCount64(x & p0)
		t.sets[8] += bits.OnesCount64(c3)
		t.sets[9] += bits.OnesCount64(c3 & p0)
		x = c1 & c3
		t.sets[10] += bits.OnesCount64(x)
		t.sets[11] += bits.OnesCount64(x & p0)
		c23 := c2 & c3
		t.sets[12] += bits.OnesCount64(c23)
		t.sets[13] += bits.OnesCount64(c23 & p0)
		c123 := c23 & c1
		t.sets[14] += bits.OnesCount64(c123)
		t.sets[15] += bits.OnesCount64(c123 & p0)
		t.joined += bits.OnesCount64(c0)

		// lead2 to lead4: the first 2 to 4 bits continue. prev1 to prev5: the
		// last 1 to 5 bits before the nibble continue. A run of k bits that
		// ends at the first boundary of this nibble, after j continuing bits,
		// shows as prev(k-1-j). Both series are nested, so the union over all
		// j up to the actual one is the same, and only the nibbles in which
		// there is no boundary yet have to be taken out.
		lead2 := c0 & c1
		lead3 := lead2 & c2
		lead4 := c123 & c0
		prev1 := c3>>4 | t.carry[1]
		t.carry[1] = c3 << 60
		prev2 := c23>>4 | t.carry[2]
		t.carry[2] = c23 << 60

		x = (c0 | prev1) &^ lead2
		t.ended[2] += bits.OnesCount64(x)
		t.endedZeros[2] += bits.OnesCount64(x & zero)
		x = (c0&prev1 | prev2 | lead2) &^ lead3
		t.ended[3] += bits.OnesCount64(x)
		t.endedZeros[3] += bits.OnesCount64(x & zero)
		boundary := ^lead4
		prev3 := c123>>4 | t.carry[3]
		t.carry[3] = c123 << 60
		x = (c0&prev2 | prev3 | lead2&prev1 | lead3) & boundary
		t.ended[4] += bits.OnesCount64(x)
		t.endedZeros[4] += bits.OnesCount64(x & zero)
		prev4 := lead4>>4 | t.carry[4]
		t.carry[4] = lead4 << 60
		x = (c0&prev3 | prev4 | lead2&prev2 | lead3&prev1) & boundary
		t.ended[5] += bits.OnesCount64(x)
		t.endedZeros[5] += bits.OnesCount64(x & zero)
		x = lead4 & prev1
		prev5 := x>>4 | t.carry[5]
		t.carry[5] = x << 60
		// A long run has 25 continuing bits in a row, so the next mask is set
		// for four nibbles in a row at least. Three of them are in the same
		// word, or else the last two at its start. Look closer if so.
		x = lead4 & prev5
		if x&(x>>4) != 0 {
			if x&(x>>4)&(x>>8|secondNibble) != 0 && !t.long {
				t.long = longRunNear(block, i)
			}
		}
		x = (c0&prev4 | prev5 | lead2&prev3 | lead3&prev2) & boundary
		t.ended[6] += bits.OnesCount64(x)
		t.endedZeros[6] += bits.OnesCount64(x & zero)
	}
}

// seed sets the carry for the first word of each lane from the byte before it.
// Before the first lane there is none: runs of a single bit are made up there, the
// last of which ends at the first bit of the block.
func (t *tally) seed(block *[BlockBytes]byte) {
	before := uint32(0x55^-(block[0]>>7))<<24 | // ...0101 or ...1010
		uint32(block[1*laneBytes-1])<<16 |
		uint32(block[2*laneBytes-1])<<8 |
		uint32(block[3*laneBytes-1])
	const lowest = 0x01010101 // bit of each byte
	t.carry[0] = carryOf(^before & lowest)
	same := ^(before ^ before<<1) // in all but the lowest bits: continues
	all := uint32(lowest)
	for k := 1; k <= 5; k++ {
		all &= same >> k
		t.carry[k] = carryOf(all)
	}
}

// carryOf moves bits 24, 16, 8 and 0 to bits 63, 62, 61 and 60.
func carryOf(lanes uint32) uint64 {
	return uint64(lanes) * (1<<21 | 1<<14 | 1<<7 | 1) >> 21 << 60
}
