package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
)

// stream is S(label) of reference/field-cases.md: SHA-256 of the label and a 64-bit counter,
// concatenated, without end.
type stream struct {
	label   string
	counter uint64
	rest    []byte
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.label), s.counter))
		s.counter++
		s.rest = sum[:]
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// good is G1. One of its blocks in 1258 fails by chance, as it has to be, but no 2500 bytes among
// the first goodBytes do, wherever they begin; nor do the first goodBlocks after a flush.
func good() io.Reader { return &stream{label: "hwrngd-good"} }

const (
	goodBytes  = 79_000
	goodBlocks = 100
)

// No case may fail by chance, so the stream that they count on is looked at first. This is the
// only place where a package of the product is used.
func TestGoodStream(t *testing.T) {
	t.Parallel()
	g := make([]byte, flushBytes+goodBlocks*blockBytes)
	if _, err := io.ReadFull(good(), g); err != nil {
		t.Fatal(err)
	}
	check := func(at int) {
		if failed := new(fips.Tester).Block((*[blockBytes]byte)(g[at:])); failed != 0 {
			t.Errorf("the block at %d fails: %s", at, failed)
		}
	}
	for at := range goodBytes - blockBytes {
		check(at)
	}
	for i := range goodBlocks {
		check(flushBytes + i*blockBytes)
	}
}

// first is the beginning of a stream.
func first(n int, of io.Reader) io.Reader { return io.LimitReader(of, int64(n)) }

// stuck gives one value for ever: G10 with 0xff, G11 with 0.
type stuck byte

// Read implements io.Reader.
func (s stuck) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{byte(s)}, len(p)))
	return len(p), nil
}

// wordsTwice is G18: each 32-bit word of G1 twice.
func wordsTwice() io.Reader { return &doubler{source: good()} }

type doubler struct {
	source io.Reader
	rest   []byte
}

// Read implements io.Reader.
func (d *doubler) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		word := make([]byte, 4, 8)
		if _, err := io.ReadFull(d.source, word); err != nil {
			return 0, err
		}
		d.rest = append(word, word...)
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// sixteenBytes is G12: the first 16 bytes of S('hwrngd-rep16') for ever.
func sixteenBytes() io.Reader {
	word := make([]byte, 16)
	_, _ = io.ReadFull(&stream{label: "hwrngd-rep16"}, word)
	return &repeated{of: word}
}

// repeated gives the same bytes again and again.
type repeated struct {
	of []byte
	at int
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.of[r.at:])
	r.at = (r.at + n) % len(r.of)
	return n, nil
}

// biased is G15: a bit is one if the next 16-bit word of its source is below a share of 65536.
type biased struct {
	source io.Reader
	share  float64
}

// Read implements io.Reader.
func (b *biased) Read(p []byte) (int, error) {
	words := make([]byte, 16*len(p))
	if _, err := io.ReadFull(b.source, words); err != nil {
		return 0, err
	}
	for i := range p {
		p[i] = 0
		for bit := range 8 {
			p[i] <<= 1
			if binary.BigEndian.Uint16(words[2*(8*i+bit):]) < uint16(b.share*65536) {
				p[i] |= 1
			}
		}
	}
	return len(p), nil
}
