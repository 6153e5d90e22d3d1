package audit

import (
	"encoding/binary"
	"math/bits"

	"github.com/hwrngd/hwrngd/fips"
)

// lagSums counts, over many blocks, the pairs of bits that differ at each distance from 1 to
// MaxLag, and the bytes by value on the way.
//
// Comparing a block with itself at 256 distances, word by word, is 80,000 steps. This takes half
// of that, and less for each. It sorts the positions of a block by the value of the byte there.
// For each value v and each t it sums the t-th bit after such a byte. That sum is the number of
// pairs of ones at the distance t+1 for the last bit of the byte, t+2 for the one before it, and so
// on, if v has a one there. So the pairs follow from 256 times 256 sums, and these are additions of
// words that hold sixteen counters each.
//
// The counters are 4 bits wide in registers, 8 bits in narrow and 16 in wide. Each is emptied into
// the next before it can overflow.
type lagSums struct {
	values [256]int64 // bytes by value
	// both counts the pairs of ones at each lag that lie in two bytes, as far as folded.
	both [MaxLag]int64
	// edges sums, for each lag, the ones among as many first and as many last bits of a block:
	// those that have no partner before or behind them.
	edges [MaxLag]int64

	narrow   [256][2 * lagWords]uint64 // by byte value, see lagLane
	wide     [256][4 * lagWords]uint64
	narrowed [256]int // positions summed in a row of narrow
	widened  [256]int // likewise wide

	// spread has each bit of the block in 4 bits. Beyond the block it is zero.
	spread [lagReach + 8*lagWords]byte
	order  [fips.BlockBytes]uint16 // where in spread the bits after a byte begin, by its value
}

const (
	lagWords = MaxLag / 16 // words of sixteen counters of 4 bits
	lagStep  = 8           // words that are summed in registers at a time
	// lagReach is a power of two above any element of order, so that a mask bounds these.
	lagReach = 1 << 14

	lagNibbles = 0x0F0F0F0F0F0F0F0F
	lagBytes   = 0x00FF00FF00FF00FF
)

// spreadBits has the bits of a byte in 4 bits each, the most significant bit in the lowest place.
var spreadBits = func() (table [256]uint32) {
	for value := range table {
		for i := range 8 {
			table[value] |= uint32(value>>(7-i)&1) << (4 * i)
		}
	}
	return table
}()

// add counts one block.
func (s *lagSums) add(block *[fips.BlockBytes]byte) {
	var count [256]int
	for i, value := range block {
		binary.LittleEndian.PutUint32(s.spread[4*i:], spreadBits[value])
		count[value]++
	}
	var next [256]int
	at := 0
	for value, n := range count {
		s.values[value] += int64(n)
		next[value] = at
		at += n
	}
	for i, value := range block {
		s.order[next[value]] = uint16(4 * (i + 1))
		next[value]++
	}

	rest := s.order[:]
	for value, n := range count {
		for n > 0 {
			list := rest[:min(n, 15)] // the most that 4 bits can count
			s.sum(value, list)
			rest, n = rest[len(list):], n-len(list)
		}
	}
	s.addEdges(block)
}

// sum adds the bits after the listed positions, 15 at most, to the counters of a byte value.
func (s *lagSums) sum(value int, list []uint16) {
	if s.narrowed[value]+len(list) > 0xFF {
		s.widen(value)
	}
	s.narrowed[value] += len(list)
	narrow := &s.narrow[value]
	for i := 0; i < lagWords; i += lagStep {
		sumSpread((*[2 * lagStep]uint64)(narrow[2*i:]), (*[lagReach + 8*lagStep]byte)(s.spread[8*i:]), list)
	}
}

// sumSpread adds lagStep words of each listed position, of which there is one at least. The loop has its
// condition at the end: so the sums in it have a single use, and the compiler adds from memory.
func sumSpread(sums *[2 * lagStep]uint64, spread *[lagReach + 8*lagStep]byte, list []uint16) {
	var a, b, c, d, e, f, g, h uint64
	for i := 0; ; {
		at := list[i] % lagReach
		words := (*[8 * lagStep]byte)(spread[at:])
		a += binary.LittleEndian.Uint64(words[0:8])
		b += binary.LittleEndian.Uint64(words[8:16])
		c += binary.LittleEndian.Uint64(words[16:24])
		d += binary.LittleEndian.Uint64(words[24:32])
		e += binary.LittleEndian.Uint64(words[32:40])
		f += binary.LittleEndian.Uint64(words[40:48])
		g += binary.LittleEndian.Uint64(words[48:56])
		h += binary.LittleEndian.Uint64(words[56:64])
		if i++; i >= len(list) {
			break
		}
	}
	addNibbles(sums[0:2], a)
	addNibbles(sums[2:4], b)
	addNibbles(sums[4:6], c)
	addNibbles(sums[6:8], d)
	addNibbles(sums[8:10], e)
	addNibbles(sums[10:12], f)
	addNibbles(sums[12:14], g)
	addNibbles(sums[14:16], h)
}

// addNibbles adds counters of 4 bits to such of 8 bits, the even ones to the first word.
func addNibbles(sums []uint64, counters uint64) {
	sums[0] += counters & lagNibbles
	sums[1] += counters >> 4 & lagNibbles
}

// widen empties the counters of 8 bits of a byte value.
func (s *lagSums) widen(value int) {
	if s.narrowed[value] == 0 {
		return
	}
	if s.widened[value]+s.narrowed[value] > 0xFFFF {
		s.fold(value)
	}
	s.widened[value] += s.narrowed[value]
	s.narrowed[value] = 0
	wide := &s.wide[value]
	for i, sums := range s.narrow[value] {
		wide[2*i] += sums & lagBytes
		wide[2*i+1] += sums >> 8 & lagBytes
	}
	clear(s.narrow[value][:])
}

// lagLane returns the word of a row of wide and the shift of the counter for the t-th bit after
// a byte: where two rounds of parting even from odd counters have put it.
func lagLane(t int) (word, shift int) {
	narrow, lane := t/16*2+t%2, t%16/2
	return 2*narrow + lane%2, 16 * (lane / 2)
}

// fold empties the counters of 16 bits of a byte value.
func (s *lagSums) fold(value int) {
	if s.widened[value] == 0 {
		return
	}
	wide := &s.wide[value]
	for t := range MaxLag {
		word, shift := lagLane(t)
		ones := int64(wide[word] >> shift & 0xFFFF)
		// The bit of weight 1<<i is i+1 bits before the first that follows.
		for i := 0; i < 8 && t+i < MaxLag; i++ {
			s.both[t+i] += ones * int64(value>>i&1)
		}
	}
	clear(wide[:])
	s.widened[value] = 0
}

// addEdges adds the ones at both ends of a block.
func (s *lagSums) addEdges(block *[fips.BlockBytes]byte) {
	var ones int64
	for i := range MaxLag / 8 {
		first := block[i]
		last := bits.Reverse8(block[len(block)-1-i])
		for j := range 8 {
			ones += int64(first>>7) + int64(last>>7)
			s.edges[8*i+j] += ones
			first <<= 1
			last <<= 1
		}
	}
}

// addTo adds the figures to those of d.
func (s *lagSums) addTo(d *Sampled) {
	both := [MaxLag]int64{}
	var ones int64
	for value, n := range s.values {
		s.widen(value)
		s.fold(value)
		d.Values[value] += n
		ones += n * int64(bits.OnesCount(uint(value)))
		// Pairs of ones inside a byte.
		for lag := 1; lag < 8; lag++ {
			both[lag-1] += n * int64(bits.OnesCount(uint(value&(value>>lag))))
		}
	}
	for i := range d.Differ {
		// Of the pairs at a lag, all but the first bits of a block are the second of one, all
		// but the last the first of one. A pair differs if it has a single one.
		d.Differ[i] += 2*ones - s.edges[i] - 2*(both[i]+s.both[i])
	}
}
