package audit

import (
	"crypto/sha256"
	"fmt"
	"io"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source/repeat"
)

// BenchmarkMeter reads good data. The shorter stream is sampled as a whole.
func BenchmarkMeter(b *testing.B) {
	data := good(1, 3200)
	for _, size := range []int64{10e6, 256 << 20} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%dMB/workers=%d", size/1e6, workers), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					m := NewMeter(MeterOptions{Workers: workers})
					if _, err := m.ReadFrom(io.LimitReader(&loopReader{data: data}, size)); err != nil {
						b.Fatal(err)
					}
					m.Finish()
				}
			})
		}
	}
}

// loopReader gives the same data over and over, too far apart to be found.
type loopReader struct {
	data []byte
	at   int
}

func (r *loopReader) Read(p []byte) (int, error) {
	n := copy(p, r.data[r.at:])
	r.at = (r.at + n) % len(r.data)
	return n, nil
}

// BenchmarkPass has what is done to each byte, or to each block that is sampled.
func BenchmarkPass(b *testing.B) {
	pieces := good(1, maxPiece)[primeBytes:]
	var blocks []*[fips.BlockBytes]byte
	for at := 0; at < len(pieces); at += fips.BlockBytes {
		blocks = append(blocks, (*[fips.BlockBytes]byte)(pieces[at:]))
	}
	var (
		tester   fips.Tester
		hash     = sha256.New()
		detector = repeat.New(MinRepeat)
		lanes    laneCounter
		equal    equalScan
		windows  windowScan
		sample   sampler
	)
	for _, pass := range []struct {
		name string
		run  func()
	}{
		{"fips", func() {
			for _, block := range blocks {
				counts := tester.Measure(block)
				fips.FIPS1402.Judge(&counts)
				fips.Judge1401(block, &counts)
			}
		}},
		{"sha256", func() { hash.Write(pieces) }},
		{"repeats", func() { detector.Scan(pieces) }},
		{"lanes", func() { lanes.add(pieces, primeBytes) }},
		{"rows", func() { // of a stream with a bit that is stuck
			rows := rowBits{}
			rows.add(pieces[:RowBytes], RowBytes)
			rows.addPart(pieces[RowBytes:], 0)
		}},
		{"equal bytes", func() { equal.add(pieces, primeBytes) }},
		{"windows", func() { windows.add(pieces) }},
		{"samples", func() {
			for i, block := range blocks {
				sample.add(block, int64(i))
			}
		}},
		{"samples/lags", func() {
			for _, block := range blocks {
				sample.lags.add(block)
			}
		}},
		{"samples/changes", func() {
			for i, block := range blocks {
				sample.addChanges(block, blockOffset(int64(i)))
			}
		}},
		{"samples/words", func() {
			for _, block := range blocks {
				sample.addWords(block)
			}
		}},
	} {
		b.Run(pass.name, func(b *testing.B) {
			b.SetBytes(int64(len(pieces)))
			for b.Loop() {
				pass.run()
			}
		})
	}
	// The fewest that a slow device brings.
	b.Run("write 32 bytes", func(b *testing.B) {
		m := NewMeter(MeterOptions{})
		b.SetBytes(32)
		for b.Loop() {
			m.Write(pieces[:32])
		}
	})
}
