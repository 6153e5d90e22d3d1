package fips

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkCheck(b *testing.B) {
	var blocks [64][BlockBytes]byte // 160 kB: as a reader with a buffer would see them
	rng := rand.NewChaCha8([32]byte{'b', 'e', 'n', 'c', 'h'})
	for i := range blocks {
		rng.Read(blocks[i][:])
	}
	b.SetBytes(BlockBytes)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Check(&blocks[i%len(blocks)], 0)
		i++
	}
}
