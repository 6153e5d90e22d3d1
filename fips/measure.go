package fips

import (
	"encoding/binary"
	"math/bits"
)

// Check returns the tests that the block fails, judged by FIPS1402. prev is the
// 32-bit word before the block, its first byte the most significant one. Use a
// Tester for the blocks of a stream.
func Check(block *[BlockBytes]byte, prev uint32) Failure {
	var c Counts
	c.measure(block, prev)
	return FIPS1402.judge(&c)
}

// Measure returns the statistics of the block. prev is as for Check.
func Measure(block *[BlockBytes]byte, prev uint32) Counts {
	var c Counts
	c.measure(block, prev)
	return c
}

// measure sets c, which must be zero, to the statistics of the block.
func (c *Counts) measure(block *[BlockBytes]byte, prev uint32) {
	var t tally
	t.scan(block)

	// Nibbles with exactly the properties of a set: take out those that have
	// one more, property by property.
	n := t.sets
	n[0] = laneCount * laneBytes * 2
	for p := 1; p < len(n); p <<= 1 {
		for s := p; s < len(n); s = (s + 1) | p {
			n[s^p] -= n[s]
		}
	}
	var all, zeros uint64
	for s, count := range n {
		f := &nibbleFacts[s]
		c.Nibbles[f.value] = count
		all += uint64(count) * f.all
		zeros += uint64(count) * f.zeros
	}
	c.Ones = int(all & 0xFFFF)

	// Runs of k or more bits, and those of zeros.
	var ended, endedZeros [7]int
	for k := 1; k <= 6; k++ {
		ended[k], endedZeros[k] = t.ended[k], t.endedZeros[k]
		if k <= 3 {
			ended[k] += int(all >> (16 * k) & 0xFFFF)
			endedZeros[k] += int(zeros >> (16 * k) & 0xFFFF)
		}
	}
	ended[1] += laneCount*laneBytes*2 - t.joined

	last := binary.BigEndian.Uint64(block[BlockBytes-8:])
	c.tail(last, &ended, &endedZeros)

	// Runs alternate, so their number and the first bit tell how many are of
	// zeros. One was made up before the first bit of the block.
	total := ended[1] - 1
	endedZeros[1] = (total + int(^block[0]>>7)) / 2
	ended[1] = total
	for k := 1; k <= 6; k++ {
		ofZeros, ofBoth := endedZeros[k], ended[k]
		if k < 6 {
			ofZeros -= endedZeros[k+1]
			ofBoth -= ended[k+1]
		}
		c.Runs[0][k-1] = ofZeros
		c.Runs[1][k-1] = ofBoth - ofZeros
	}

	if t.long || hasLongRun(last) {
		c.LongRuns = countLongRuns(block)
	}
	c.Repeats = repeats(block, prev)
}

// tail adds the last 32 bits of the block, which the lanes leave over. last
// holds the last 64 bits of the block.
func (c *Counts) tail(last uint64, ended, endedZeros *[7]int) {
	const tailBits = BlockBits - 8*laneCount*laneBytes
	for i := 0; i < tailBits; i += 4 {
		c.Nibbles[last>>i&15]++
	}
	c.Ones += bits.OnesCount64(last & (1<<tailBits - 1))

	// Append the opposite of the last bit: it ends the last run.
	x := last<<1 | ^last&1
	boundary := x ^ x>>1
	end := boundary & (1<<(tailBits+1) - 1)
	for k := 1; k <= 6; k++ {
		ended[k] += bits.OnesCount64(end)
		endedZeros[k] += bits.OnesCount64(end &^ (x >> 1))
		end &^= boundary >> k
	}
}

// nibbleFact describes one set of properties in a tally.
type nibbleFact struct {
	value int // of the nibble that has these properties and no other
	// In fields of 16 bits, the lowest first: the number of ones, then that of
	// boundaries which end a run of 1, 2, 3 or more bits and have as many bits
	// before them in the nibble. zeros counts those that end a run of zeros.
	all, zeros uint64
}

var nibbleFacts = func() (facts [16]nibbleFact) {
	for s := range facts {
		bit := [4]int{s & 1}
		for i := 1; i < 4; i++ {
			bit[i] = bit[i-1] ^ 1 ^ s>>i&1
		}
		f := &facts[s]
		for i, b := range bit {
			f.value = f.value<<1 | b
			f.all += uint64(b)
			if i == 0 || b == bit[i-1] {
				continue
			}
			for k := 1; k <= i && bit[i-k] == bit[i-1]; k++ {
				f.all += 1 << (16 * k)
				if bit[i-1] == 0 {
					f.zeros += 1 << (16 * k)
				}
			}
		}
	}
	return facts
}()
