package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// stream is one of the streams that are counted in tests.
type stream struct {
	name string
	data []byte
}

// streams returns good and bad ones, and all kinds of lengths.
func streams() []stream {
	zeros := func(n int) []byte { return make([]byte, n) }
	ones := func(n int) []byte { return bytes.Repeat([]byte{0xFF}, n) }
	crlf := []byte(strings.ReplaceAll(strings.Repeat("all work and no play\n", 500), "\n", "\r\n"))
	list := []stream{
		{"G2", fipstest.G2()},
		{"G3", fipstest.G3(25)},
		{"G7", fipstest.G7()},
		{"G8 at start", fipstest.G8(false)},
		{"G8 at end", fipstest.G8(true)},
		{"G10", fipstest.G10(5)},
		{"G11", fipstest.G11(2, 5)},
		{"G12 of 16", fipstest.G12(16, 4)},
		{"G12 of 64", fipstest.G12(64, 3)},
		{"G12 of 4096", fipstest.G12(4096, 5)},
		{"G15", fipstest.G15(0.4, 3)},
		{"G16", fipstest.G16()[97500:112508]},
		{"G17", fipstest.G17(3)},
		{"G18", fipstest.G18(3)},
		{"G21 top", fipstest.G21("top", 3)},
		{"G21 hex", fipstest.G21("hex", 3)},
		{"G21 base64", fipstest.G21("base64", 3)},
		{"G26", fipstest.G26(3)},
		{"G4", append(zeros(4), fipstest.G4(10346)[:]...)},
		{"G5", append(zeros(4), fipstest.G5(1576930)[:]...)},
		{"lines", crlf},
		{"text and data", append(crlf[:3333:3333], good(1, 3)...)},
		{"bytes twice", doubled(good(2, 2))},
		{"bits of a few values", few(3, 4*fips.BlockBytes)},
		{"plateaus", plateaus(4, 6*fips.BlockBytes, 15, 40)},
		{"equal plateaus", plateaus(5, 3*fips.BlockBytes, 20, 1)},
		{"stuck bit", stuck(good(6, 3))},
		{"zeros inside", inside(good(7, 4))},
	}
	for _, n := range []int{0, 1, 3, 4, 5, 16, 2503, 2504, 2505, 5003, 5004, 4 + 7*fips.BlockBytes + 13} {
		list = append(list, stream{fmt.Sprintf("%d good", n), good(uint64(n), 8)[:n]},
			stream{fmt.Sprintf("%d zeros", n), zeros(n)}, stream{fmt.Sprintf("%d ones", n), ones(n)})
	}
	return list
}

// doubled has each byte twice.
func doubled(data []byte) (twice []byte) {
	for _, b := range data {
		twice = append(twice, b, b)
	}
	return twice
}

// few has bytes of few values: many short sequences of equal ones.
func few(seed uint64, n int) []byte {
	data := make([]byte, n)
	fill(seed, data)
	for i := range data {
		data[i] = "\x00\x80\x01\xFE"[data[i]%4]
	}
	return data
}

// plateaus has sequences of equal bytes, of least to least+spread-1 bytes, with single bytes between.
func plateaus(seed uint64, n, least, spread int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	var data []byte
	for len(data) < n {
		data = append(data, bytes.Repeat([]byte{byte(rng.Uint32())}, least+rng.IntN(spread))...)
		data = append(data, byte(rng.Uint32()))
	}
	return data[:n]
}

// stuck sets two bits of each row: one to one and one to zero.
func stuck(data []byte) []byte {
	for i := range data {
		switch i % RowBytes {
		case 5:
			data[i] |= 0x20
		case 63:
			data[i] &^= 0x01
		}
	}
	return data
}

// inside has zeros over the border of two blocks.
func inside(data []byte) []byte {
	clear(data[blockOffset(2)-11 : blockOffset(2)+10])
	return data
}
