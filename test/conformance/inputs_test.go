package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// input is a stream to test.
type input struct {
	name string
	make func() []byte
}

// file writes the stream to a file and opens it, once for each user: an open file has one position.
func (in *input) file(t testing.TB) (open func() *os.File) {
	t.Helper()
	path := filepath.Join(kit.Dir(), strings.ReplaceAll(t.Name(), "/", "-"))
	if err := os.WriteFile(path, in.make(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(path) })
	return func() *os.File {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
}

// boot is the bootstrap word of most vectors.
var boot = []byte{0xDE, 0xAD, 0xBE, 0xEF}

// vectors are those on which rngtest 6.17 and 2.3 were seen to agree; package fips tests itself
// with the same, and with their checksums.
func vectors() []input {
	base := fipstest.Shake("base0", fips.BlockBytes)
	with := func(change func(b *fipstest.Block)) []byte {
		b := fipstest.Block(base)
		change(&b)
		return b[:]
	}
	run := func(pos, n int, v byte) []byte {
		return with(func(b *fipstest.Block) { fipstest.SetRun(b[:], pos, n, v) })
	}
	moved := func(to, from int) []byte {
		return with(func(b *fipstest.Block) { copy(b[to:to+4], base[from:from+4]) })
	}
	masked := func(tag string, change func(byte) byte) func() []byte {
		return func() []byte {
			data := fipstest.Shake(tag, 4+1500*fips.BlockBytes)
			for i, m := range fipstest.Shake("biasmask", len(data)) {
				if m < 12 {
					data[i] = change(data[i])
				}
			}
			return data
		}
	}
	cat := func(parts ...[]byte) func() []byte {
		return func() []byte { return slices.Concat(parts...) }
	}
	list := []input{
		{"base", cat(boot, base)},
		{"first word repeats bootstrap", cat(base[:4], base)},
		{"word repeated", cat(boot, moved(1000, 996))},
		{"unaligned word repeated", cat(boot, moved(1002, 998))},
		{"word repeated over a border", cat(boot, base, base[2496:], base[4:])},
		{"block repeated", cat(boot, base, base)},
		{"20+20 ones over a border", cat(boot, run(19980, 20, 1), run(0, 20, 1))},
		{"26+26 ones over a border", cat(boot, run(19974, 26, 1), run(0, 26, 1))},
		{"0f f0", cat(boot, bytes.Repeat([]byte{0x0F, 0xF0}, 1250))},
		{"00", cat(make([]byte, 2504))},
		{"ff", cat(bytes.Repeat([]byte{0xFF}, 2504))},
		{"aa", cat(bytes.Repeat([]byte{0xAA}, 2504))},
		{"counter", cat(boot, fipstest.G26(10)[:fips.BlockBytes])},
		{"one byte more", cat(boot, base, []byte{0})},
		{"one byte less", cat(boot, base, base[:2499])},
		{"bulk", func() []byte { return fipstest.Shake("bulk", 4+4000*fips.BlockBytes) }},
		{"bias", masked("bias", func(b byte) byte { return b | 0x11 })},
		{"bias0", masked("bias0", func(b byte) byte { return b & 0xF7 })},
	}
	for _, n := range []int{9725, 9726, 10274, 10275} {
		list = append(list, input{fmt.Sprintf("%d ones", n), cat(boot, with(func(b *fipstest.Block) { fipstest.SetOnes(b, n, 3, 37) }))})
	}
	for _, n := range []int{25, 26} {
		for _, pos := range []int{0, 10001, fips.BlockBits - n} {
			for v := range byte(2) {
				list = append(list, input{fmt.Sprintf("run of %d at %d of %d", n, pos, v), cat(boot, run(pos, n, v))})
			}
		}
	}
	if !testing.Short() {
		// Version 5 of rng-tools counts two bad blocks too many here.
		list = append(list, input{"v5diff", func() []byte { return fipstest.Shake("v5diff", 4+60000*fips.BlockBytes) }})
	}
	return list
}

// fieldCases are the streams of the field cases.
func fieldCases() []input {
	one := func(b *fipstest.Block) []byte { return slices.Concat(boot, b[:]) }
	list := []input{
		{"G1", func() []byte { return fipstest.G1(2000) }},
		{"G2", fipstest.G2},
		{"G7", fipstest.G7},
		{"G8 start", func() []byte { return fipstest.G8(false) }},
		{"G8 end", func() []byte { return fipstest.G8(true) }},
		{"G10", func() []byte { return fipstest.G10(20) }},
		{"G11", func() []byte { return fipstest.G11(5, 20) }},
		{"G16", fipstest.G16},
		{"G17", func() []byte { return fipstest.G17(100) }},
		{"G18", func() []byte { return fipstest.G18(100) }},
		{"G26", func() []byte { return fipstest.G26(100) }},
	}
	for _, n := range []int{24, 25, 26} {
		list = append(list, input{fmt.Sprintf("G3 %d ones", n), func() []byte { return fipstest.G3(n) }})
	}
	for _, n := range []int{9725, 9726, 10274, 10275} {
		list = append(list, input{fmt.Sprintf("G4 %d ones", n), func() []byte { return one(fipstest.G4(n)) }})
	}
	for _, sum := range []int64{1563174, 1563176, 1576928, 1576930} {
		list = append(list, input{fmt.Sprintf("G5 %d", sum), func() []byte { return one(fipstest.G5(sum)) }})
	}
	for _, period := range []int{1, 4, 16, 64, 2500, 4096} {
		list = append(list, input{fmt.Sprintf("G12 period %d", period), func() []byte { return fipstest.G12(period, 50) }})
	}
	for _, p := range []float64{0.40, 0.45, 0.49, 0.495, 0.499} {
		list = append(list, input{fmt.Sprintf("G15 p=%g", p), func() []byte { return fipstest.G15(p, 100) }})
	}
	for _, form := range []string{"top", "hex", "base64"} {
		list = append(list, input{"G21 " + form, func() []byte { return fipstest.G21(form, 50) }})
	}
	// Raw samples, which are made for other tests.
	for _, width := range []int{8, 1} {
		list = append(list,
			input{fmt.Sprintf("G23 width %d", width), func() []byte { return fipstest.G23(width, 40, 25004) }},
			input{fmt.Sprintf("G24 width %d", width), func() []byte { return fipstest.G24(width, 500, 5004) }})
	}
	return list
}
