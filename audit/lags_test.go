package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
)

// Enough blocks to fill the counters of every width, with many bytes of few values.
func TestLagSumsOverflow(t *testing.T) {
	const blocks = 1<<16/fips.BlockBytes + 5
	for _, values := range [][]byte{{0xFF}, {0x80}, {0x01}, {0xFF, 0x55, 0xA3}} {
		var sums lagSums
		var got, want Sampled
		rng := rand.New(rand.NewPCG(1, uint64(len(values))))
		var first [fips.BlockBytes]byte
		for i := range first {
			first[i] = values[rng.IntN(len(values))]
		}
		var once Sampled
		plainSample(&once, &first, 0)
		for range blocks {
			sums.add(&first)
			addSampled(&want, &once)
		}
		sums.addTo(&got)
		if got.Values != want.Values || got.Differ != want.Differ {
			t.Errorf("bytes %x: values %v, differ %v; want %v, %v", values, got.Values, got.Differ, want.Values, want.Differ)
		}
		// Nothing is lost or counted twice when it is asked for in between.
		sums.add(&first)
		addSampled(&want, &once)
		got = Sampled{}
		sums.addTo(&got)
		if got.Values != want.Values || got.Differ != want.Differ {
			t.Errorf("bytes %x: asked again: values %v, differ %v; want %v, %v", values, got.Values, got.Differ, want.Values, want.Differ)
		}
	}
}

func TestLaneCounter(t *testing.T) {
	data := make([]byte, 17<<(4*laneLevels)) // the levels hold the ones of 8<<(4*laneLevels)
	for i := range data {
		data[i] = 0xF7
	}
	fill(1, data[:1000])
	for _, offset := range []int64{0, 4, 1, 7} {
		for _, size := range []int{0, 1, 3, 9, 127, 128, 135, 300, len(data)} {
			var c laneCounter
			c.add(data[:size/3], offset)
			c.add(data[size/3:size], offset+int64(size/3))
			var got, want [Lanes]int64
			c.addTo(&got)
			for i, b := range data[:size] {
				for j := range 8 {
					want[(8*(int(offset)+i)+j)%Lanes] += int64(b >> (7 - j) & 1)
				}
			}
			if got != want {
				t.Errorf("%d bytes from %d: %v, want %v", size, offset, got, want)
			}
		}
	}
}
