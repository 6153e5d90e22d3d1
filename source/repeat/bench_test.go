package repeat

import (
	"fmt"
	"testing"
)

func BenchmarkScan(b *testing.B) {
	const size = 1 << 20
	for _, test := range []struct {
		name     string
		data     []byte
		minMatch []int
	}{
		{"random", noise(30, size), []int{16, 76, 600}},
		{"zeros", make([]byte, size), []int{16, 600}},
		{"period 2", cycle(31, 2, size), []int{16}},
		{"period 4096", cycle(32, 4096, size), []int{16}},
		{"period 65537", cycle(33, MaxPeriod+1, size), []int{16}},
		{"one bit a byte", masked(34, size, 1), []int{16, 76, 600}},
	} {
		for _, minMatch := range test.minMatch {
			b.Run(fmt.Sprintf("%s/%d", test.name, minMatch), func(b *testing.B) {
				d := New(minMatch)
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					d.Scan(test.data)
				}
			})
		}
	}
}
