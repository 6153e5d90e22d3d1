package repeat

import (
	"bytes"
	"testing"
)

// TestNoFalseAlarm scans random data: with words of 16 bytes a match is seen once in 2^112 bytes.
func TestNoFalseAlarm(t *testing.T) {
	size := 256 << 20
	if race || testing.Short() {
		size = 8 << 20
	}
	d, rng, p := New(16), source(20), make([]byte, 1<<16)
	for range size / len(p) {
		rng.Read(p)
		if d.Scan(p) != 0 {
			t.Fatalf("%+v", resultOf(d))
		}
	}
}

// TestLowEntropy scans a source of one bit a byte, which is just what it claims to be.
func TestLowEntropy(t *testing.T) {
	size := 32 << 20
	if race || testing.Short() {
		size = 1 << 20
	}
	data := masked(21, size, 1)
	d := New(MinMatch(60, 1))
	if d.Scan(data) != 0 {
		t.Errorf("MinMatch(60, 1): %+v", resultOf(d))
	}
	// A match shorter by 60 bytes is expected at every byte, so they are really looked for.
	d = New(MinMatch(60, 1) - 60)
	if d.Scan(data[:1<<16]) == 0 {
		t.Error("no short match")
	}
}

// TestLowEntropyRepeats plants repeats among the many short matches of such a source.
func TestLowEntropyRepeats(t *testing.T) {
	for _, minMatch := range []int{76, 600} {
		d := New(minMatch)
		data := masked(22, 600_000, 1)
		period, scanned := 1, 0
		for at := 100_000; at+d.Reach() < len(data); at += 3000 {
			period = period*7%MaxPeriod + 1
			end := at + d.Reach()
			for i := at; i < end; i++ {
				data[i] = data[i-period]
			}
			if n := d.Scan(data[scanned:at]); n > 60 { // a repeat may go on by chance
				t.Fatalf("minMatch %d: %d bytes repeat before %d", minMatch, n, at)
			}
			if n := d.Scan(data[at:end]); n < minMatch {
				t.Fatalf("minMatch %d: %d of %d bytes at %d with period %d were found", minMatch, n, d.Reach(), at, period)
			}
			scanned = end
		}
	}
}

// TestSearchIsShort counts the words that are compared in one search, in data where almost every
// word is searched or almost all are equal.
func TestSearchIsShort(t *testing.T) {
	counter := make([]byte, 300_000)
	for i := range counter {
		if i%32 < 2 {
			counter[i] = byte(i / 32 >> (8 * (i % 32)))
		}
	}
	sparse := make([]byte, 300_000)
	for i := 50; i < len(sparse); i += 50 + i%37 {
		sparse[i] = byte(i)
	}
	for _, test := range []struct {
		name string
		data []byte
	}{
		{"zeros", make([]byte, 300_000)},
		{"period of 2", cycle(23, 2, 300_000)},
		{"one bit a byte", masked(24, 300_000, 1)},
		{"counter among zeros", counter},
		{"sparse", sparse},
		{"zeros and noise in turn", join(noise(25, 130_000), make([]byte, 40_000), noise(26, 10_000))},
	} {
		for _, minMatch := range []int{8, 16, 80, 600} {
			d := New(minMatch)
			d.Scan(test.data)
			const searches = 20_000
			compared := 0
			place := d.place(d.at)
			for q := d.at - searches; q < d.at; q++ { // what has been there is looked for once more
				word := d.buf[q : q+d.word]
				back := place - d.index.heads[hashOf(word)>>(64-headBits)]
				for back <= entries && stride*int(back) <= d.at {
					compared++
					p := d.at - d.at%stride - stride*int(back)
					if bytes.Equal(d.buf[p:p+d.word], word) {
						break
					}
					back += uint64(d.index.links[(place-back)%entries])
				}
			}
			if mean := float64(compared) / searches; mean > 3 || compared == 0 {
				t.Errorf("%s, minMatch %d: %.1f words a search", test.name, minMatch, mean)
			}
		}
	}
}
