package repeat

import (
	"bytes"
	"math/rand/v2"
)

// source returns a generator that is the same in each run.
func source(seed byte) *rand.ChaCha8 {
	return rand.NewChaCha8([32]byte{'r', 'e', 'p', 'e', 'a', 't', seed})
}

// noise returns n random bytes.
func noise(seed byte, n int) []byte {
	b := make([]byte, n)
	source(seed).Read(b)
	return b
}

// cycle returns n bytes with the given period, whose first bytes are random.
func cycle(seed byte, period, n int) []byte {
	return bytes.Repeat(noise(seed, period), n/period+1)[:n]
}

// join returns the parts one after the other.
func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// masked returns n random bytes of which only the bits of mask are left: with 1 they have a
// min-entropy of one bit each.
func masked(seed byte, n int, mask byte) []byte {
	b := noise(seed, n)
	for i := range b {
		b[i] &= mask
	}
	return b
}

// unpack makes data full of repeats, overlapping and nested ones too, out of a recipe of two-byte
// steps: either bytes with few values, or a copy of what came up to window+2 bytes earlier.
func unpack(recipe []byte, window int) []byte {
	var data []byte
	for ; len(recipe) >= 2; recipe = recipe[2:] {
		a, b := recipe[0], recipe[1]
		if a < 80 || len(data) == 0 {
			value := b
			if a%4 != 0 {
				value &= 1
			}
			for range a%16 + 1 {
				data = append(data, value)
				value = value*5 + a&b
			}
			continue
		}
		back := min(1+(int(a)<<8|int(b))%(window+2), len(data))
		for range int(a) * int(b) % 160 {
			data = append(data, data[len(data)-back])
		}
	}
	return data
}

// known feeds data byte by byte. It returns, for each byte, after how many bytes of the stream it
// was known to be a repeat, 0 if never.
func known(d *Detector, data []byte) []int {
	when := make([]int, len(data))
	for i := range data {
		for k := range d.Scan(data[i : i+1]) {
			when[i-k] = i + 1
		}
	}
	return when
}
