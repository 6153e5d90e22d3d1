package fips_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// boot is the priming word of most vectors.
var boot = []byte{0xDE, 0xAD, 0xBE, 0xEF}

// result is what rngtest reports of a stream.
type result struct {
	good, bad int
	failures  [5]int // monobit, poker, runs, long run, continuous run
}

// tally judges a stream as rngtest does: 4 bytes prime it, an incomplete block at
// the end is ignored.
func tally(t *testing.T, stream io.Reader) (r result) {
	t.Helper()
	var first [4]byte
	if _, err := io.ReadFull(stream, first[:]); err != nil {
		t.Fatal(err)
	}
	var tester fips.Tester
	tester.Prime(first)
	var block fipstest.Block
	for {
		if _, err := io.ReadFull(stream, block[:]); err != nil {
			return r
		}
		failed := tester.Block(&block)
		if failed == 0 {
			r.good++
		} else {
			r.bad++
		}
		for i, test := range fips.Tests {
			if failed.Has(test) {
				r.failures[i]++
			}
		}
	}
}

// TestVectors replays the vectors on which rngtest 6.17 and 2.3 agree, with
// rngtest's results. sum is the start of the vector's SHA-256.
func TestVectors(t *testing.T) {
	cat := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	plain := base()[:]
	with := func(change func(b *fipstest.Block)) []byte {
		b := base()
		change(b)
		return b[:]
	}
	ones := func(n int) []byte {
		return with(func(b *fipstest.Block) { fipstest.SetOnes(b, n, 3, 37) })
	}
	run := func(pos, n int, v byte) []byte {
		return with(func(b *fipstest.Block) { fipstest.SetRun(b[:], pos, n, v) })
	}
	moved := func(to, from int) []byte {
		return with(func(b *fipstest.Block) { copy(b[to:to+4], plain[from:from+4]) })
	}
	counter := make([]byte, fips.BlockBytes)
	for i := range counter {
		counter[i] = byte(i)
	}
	const pass, fail = 1, 0
	one := func(good int, failures ...int) result {
		r := result{good: good, bad: 1 - good}
		copy(r.failures[:], failures)
		return r
	}
	all := one(fail, 1, 1, 1, 1, 1)

	for _, test := range []struct {
		name   string
		stream []byte
		sum    string
		want   result
	}{
		{"base", cat(boot, plain), "2be593d3c91a632c", one(pass)},
		{"9725 ones", cat(boot, ones(9725)), "aac786762053d6db", one(fail, 1)},
		{"9726 ones", cat(boot, ones(9726)), "17f0551d97ef0cfb", one(pass)},
		{"10274 ones", cat(boot, ones(10274)), "03d078e919048175", one(pass)},
		{"10275 ones", cat(boot, ones(10275)), "a2aad796a3b6c29b", one(fail, 1)},
		{"25 zeros at start", cat(boot, run(0, 25, 0)), "674cd09d", one(pass)},
		{"25 zeros in middle", cat(boot, run(10001, 25, 0)), "b1f49313", one(pass)},
		{"25 zeros at end", cat(boot, run(20000-25, 25, 0)), "d0701e07", one(pass)},
		{"25 ones at start", cat(boot, run(0, 25, 1)), "bf0ff20d", one(pass)},
		{"25 ones in middle", cat(boot, run(10001, 25, 1)), "3f576a11", one(pass)},
		{"25 ones at end", cat(boot, run(20000-25, 25, 1)), "395c79dd", one(pass)},
		{"26 zeros at start", cat(boot, run(0, 26, 0)), "e5d0ea13", one(fail, 0, 0, 0, 1)},
		{"26 zeros in middle", cat(boot, run(10001, 26, 0)), "171bd0c4", one(fail, 0, 0, 0, 1)},
		{"26 zeros at end", cat(boot, run(20000-26, 26, 0)), "3ec0f65f", one(fail, 0, 0, 0, 1)},
		{"26 ones at start", cat(boot, run(0, 26, 1)), "b8faf7ce", one(fail, 0, 0, 0, 1)},
		{"26 ones in middle", cat(boot, run(10001, 26, 1)), "412b3430", one(fail, 0, 0, 0, 1)},
		{"26 ones at end", cat(boot, run(20000-26, 26, 1)), "79db81d9", one(fail, 0, 0, 0, 1)},
		{
			"20+20 ones over a border", cat(boot, run(19980, 20, 1), run(0, 20, 1)), "c5b0ee87f9ba079f",
			result{good: 2},
		},
		{
			"26+26 ones over a border", cat(boot, run(19974, 26, 1), run(0, 26, 1)), "9d69b79a4aacb176",
			result{bad: 2, failures: [5]int{3: 2}},
		},
		{"first word repeats priming", cat(plain[:4], plain), "55a0d97652ce30b9", one(fail, 0, 0, 0, 0, 1)},
		{"word repeated", cat(boot, moved(1000, 996)), "9f03d4b43f21f831", one(fail, 0, 0, 0, 0, 1)},
		{"unaligned word repeated", cat(boot, moved(1002, 998)), "f3750d4402c22fd8", one(pass)},
		{
			"word repeated over a border", cat(boot, plain, plain[2496:], plain[4:]), "177c1bffa5572840",
			result{good: 1, bad: 1, failures: [5]int{4: 1}},
		},
		{"block repeated", cat(boot, plain, plain), "1390ddcbd6cd70aa", result{good: 2}},
		{"0f f0", cat(boot, bytes.Repeat([]byte{0x0F, 0xF0}, 1250)), "dd0cc93e381f2ecc", one(fail, 0, 1, 1, 0, 1)},
		{"00", bytes.Repeat([]byte{0}, 2504), "b4a1781b4f9c0bf9", all},
		{"ff", bytes.Repeat([]byte{0xFF}, 2504), "6d459380557ffd42", all},
		{"aa", bytes.Repeat([]byte{0xAA}, 2504), "7a011b553ec7ef97", one(fail, 0, 1, 1, 0, 1)},
		{"counter", cat(boot, counter), "fa1754d4fe1496c0", one(pass)},
		{"one byte more", cat(boot, plain, []byte{0}), "298a8ecdb379e747", one(pass)},
		{"one byte less", cat(boot, plain, plain[:2499]), "817c54c58a24a2f9", one(pass)},
	} {
		t.Run(test.name, func(t *testing.T) {
			sum := sha256.Sum256(test.stream)
			if got := hex.EncodeToString(sum[:]); !strings.HasPrefix(got, test.sum) {
				t.Errorf("SHA-256 of the vector is %s, want %s...", got, test.sum)
			}
			if got := tally(t, bytes.NewReader(test.stream)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestBulkVectors replays the long vectors, as streams.
func TestBulkVectors(t *testing.T) {
	for _, test := range []struct {
		name   string
		blocks int
		stream io.Reader
		sum    string
		want   result
	}{
		{
			"bulk", 4000, fipstest.NewShake("bulk"), "1818e1ab2b20a764",
			result{3997, 3, [5]int{0, 0, 1, 2, 0}},
		},
		{
			"bias", 1500, &masked{
				fipstest.NewShake("bias"), fipstest.NewShake("biasmask"),
				func(b byte) byte { return b | 0x11 },
			}, "22f9e8f0528cfde5",
			result{1441, 59, [5]int{24, 42, 2, 0, 0}},
		},
		{
			"bias0", 1500, &masked{
				fipstest.NewShake("bias0"), fipstest.NewShake("biasmask"),
				func(b byte) byte { return b & 0xF7 },
			}, "5bfad9173914d7a2",
			result{1498, 2, [5]int{0, 0, 1, 1, 0}},
		},
		// A stream on which version 5 of rng-tools counts 42 bad blocks.
		{
			"v5diff", 60000, fipstest.NewShake("v5diff"), "7e52fdf358faed27",
			result{59960, 40, [5]int{3, 4, 15, 18, 0}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.blocks > 10000 {
				t.Skip("150 MB")
			}
			sum := &hashing{io.LimitReader(test.stream, int64(4+test.blocks*fips.BlockBytes)), sha256.New()}
			if got := tally(t, sum); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if got := hex.EncodeToString(sum.hash.Sum(nil)); !strings.HasPrefix(got, test.sum) {
				t.Errorf("SHA-256 of the vector is %s, want %s...", got, test.sum)
			}
		})
	}
}

// masked changes those bytes of a stream for which the mask's byte is below 12.
type masked struct {
	data, mask io.Reader
	change     func(byte) byte
}

func (m *masked) Read(p []byte) (int, error) {
	n, err := m.data.Read(p)
	mask := make([]byte, n)
	if _, err := io.ReadFull(m.mask, mask); err != nil {
		return 0, err
	}
	for i, b := range mask {
		if b < 12 {
			p[i] = m.change(p[i])
		}
	}
	return n, err
}

// hashing hashes what is read.
type hashing struct {
	io.Reader
	hash hash.Hash
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.hash.Write(p[:n])
	return n, err
}
