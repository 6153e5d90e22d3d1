package fips

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// reference computes the statistics bit by bit, with none of the tricks of the
// code under test.
func reference(block *[BlockBytes]byte, prev uint32) Counts {
	var c Counts
	bit := func(i int) int { return int(block[i/8]) >> (7 - i%8) & 1 }
	run := 0
	for i := range BlockBits {
		c.Ones += bit(i)
		run++
		if i+1 < BlockBits && bit(i+1) == bit(i) {
			continue
		}
		c.Runs[bit(i)][min(run, 6)-1]++
		if run >= 26 {
			c.LongRuns++
		}
		run = 0
	}
	for i := 0; i < BlockBits; i += 4 {
		c.Nibbles[8*bit(i)+4*bit(i+1)+2*bit(i+2)+bit(i+3)]++
	}
	for i := 0; i < BlockBytes; i += 4 {
		word := uint32(block[i])<<24 | uint32(block[i+1])<<16 | uint32(block[i+2])<<8 | uint32(block[i+3])
		if word == prev {
			c.Repeats++
		}
		prev = word
	}
	return c
}

// referenceFailure applies the limits of FIPS 140-2 with other words, and the
// poker limits as they are printed, on X.
func referenceFailure(c *Counts) Failure {
	var f Failure
	if c.Ones <= 9725 || c.Ones >= 10275 {
		f |= 1
	}
	sum := 0.0
	for _, n := range c.Nibbles {
		sum += float64(n) * float64(n)
	}
	if x := 16.0/5000*sum - 5000; x <= 2.16 || x >= 46.17 {
		f |= 2
	}
	low := []int{2315, 1114, 527, 240, 103, 103}
	high := []int{2685, 1386, 723, 384, 209, 209}
	for _, runs := range c.Runs {
		for i, n := range runs {
			if n < low[i] || n > high[i] {
				f |= 4
			}
		}
	}
	if c.LongRuns > 0 {
		f |= 8
	}
	if c.Repeats > 0 {
		f |= 16
	}
	return f
}

// compare fails the test unless the code under test agrees with the reference.
func compare(t *testing.T, block *[BlockBytes]byte, prev uint32) {
	t.Helper()
	want := reference(block, prev)
	if got := Measure(block, prev); got != want {
		t.Fatalf("Measure:\n got %+v\nwant %+v\nprev %#x block %x", got, want, prev, *block)
	}
	if got, want := Check(block, prev), referenceFailure(&want); got != want {
		t.Fatalf("Check: got %v, want %v\nprev %#x block %x", got, want, prev, *block)
	}
}

// fill makes a block from a seed and a handful of shaping parameters, so that a
// few bytes reach every kind of structure: long runs at any place, sparse and
// dense data, repeated words, short periods.
func fill(seed uint64, shape, period, runAt, runLength uint16) *[BlockBytes]byte {
	var block [BlockBytes]byte
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range block {
		b := byte(rng.Uint32())
		for range shape & 7 {
			if shape&8 == 0 {
				b &= byte(rng.Uint32())
			} else {
				b |= byte(rng.Uint32())
			}
		}
		block[i] = b
	}
	if p := int(period); p > 0 && p < BlockBytes {
		for i := p; i < BlockBytes; i++ {
			block[i] = block[i-p]
		}
	}
	for i := range int(runLength) {
		at := int(runAt) + i
		if at >= BlockBits {
			break
		}
		block[at/8] &^= 0x80 >> (at % 8)
		if shape&16 != 0 {
			block[at/8] |= 0x80 >> (at % 8)
		}
	}
	return &block
}

// FuzzMeasureShaped compares with the reference on blocks made from parameters.
func FuzzMeasureShaped(f *testing.F) {
	f.Add(uint64(1), uint16(0), uint16(0), uint16(0), uint16(0), uint32(0))
	f.Add(uint64(2), uint16(16), uint16(0), uint16(4991), uint16(26), uint32(0)) // over the border of lanes
	f.Add(uint64(3), uint16(0), uint16(4), uint16(19960), uint16(40), uint32(0))
	f.Add(uint64(4), uint16(3), uint16(0), uint16(0), uint16(19999), uint32(0))
	f.Add(uint64(5), uint16(12), uint16(1), uint16(0), uint16(0), uint32(0xFFFFFFFF))
	f.Fuzz(func(t *testing.T, seed uint64, shape, period, runAt, runLength uint16, prev uint32) {
		compare(t, fill(seed, shape, period, runAt, runLength), prev)
	})
}

// FuzzMeasure compares with the reference on blocks of raw input, repeated.
func FuzzMeasure(f *testing.F) {
	f.Add([]byte{0}, uint32(0))
	f.Add([]byte{0xFF}, uint32(0xFFFFFFFF))
	f.Add([]byte{0x0F, 0xF0}, uint32(1))
	f.Add([]byte{0x80, 0, 0, 0, 1}, uint32(0x80000000))
	f.Add([]byte("a text that is no random data at all"), uint32(0x61207465))
	f.Fuzz(func(t *testing.T, data []byte, prev uint32) {
		if len(data) == 0 {
			return
		}
		var block [BlockBytes]byte
		for i := range block {
			block[i] = data[i%len(data)]
		}
		compare(t, &block, prev)
	})
}

// TestMeasureRandom compares with the reference on good, on biased and on
// damaged blocks.
func TestMeasureRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(140, 2))
	n := 4000
	if testing.Short() || race {
		n = 600
	}
	for range n {
		shape, period, length := uint16(0), uint16(0), uint16(0)
		switch rng.IntN(4) {
		case 1:
			shape = uint16(rng.Uint32())
		case 2:
			period = uint16(rng.IntN(64))
		case 3:
			shape = uint16(rng.Uint32()) & 16
			length = uint16(20 + rng.IntN(20))
		}
		block := fill(rng.Uint64(), shape, period, uint16(rng.IntN(BlockBits)), length)
		prev := rng.Uint32()
		if rng.IntN(8) == 0 {
			prev = binary.BigEndian.Uint32(block[:])
		}
		compare(t, block, prev)
	}
}

// TestMeasureRunAnywhere has runs of 24 to 28 bits all over a block, and at every
// bit near the borders of lanes.
func TestMeasureRunAnywhere(t *testing.T) {
	step := 7
	if testing.Short() || race {
		step = 37
	}
	rng := rand.NewChaCha8([32]byte{'r', 'u', 'n'})
	for at := 0; at < BlockBits; at++ {
		if lane := at % (8 * laneBytes); at%step != 0 && lane > 40 && lane < 8*laneBytes-40 {
			continue
		}
		var block [BlockBytes]byte
		rng.Read(block[:])
		for v := range byte(2) {
			length := 24 + (at+int(v))%5
			for i := at; i < min(at+length, BlockBits); i++ {
				block[i/8] &^= 0x80 >> (i % 8)
				block[i/8] |= v * (0x80 >> (i % 8))
			}
			got, want := Measure(&block, 0), reference(&block, 0)
			if got != want {
				t.Fatalf("run of %d bits at %d:\n got %+v\nwant %+v", length, at, got, want)
			}
		}
	}
}
