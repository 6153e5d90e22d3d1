package faults

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/faults/script"
)

// hashed is fipstest.S without an end.
type hashed struct {
	label   string
	counter uint64
	rest    []byte
}

// Read implements io.Reader.
func (h *hashed) Read(p []byte) (int, error) {
	if len(h.rest) == 0 {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(h.label), h.counter))
		h.counter++
		h.rest = sum[:]
	}
	n := copy(p, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// goodFrom is G1 from that byte on.
func goodFrom(at int64) io.Reader {
	h := &hashed{label: "hwrngd-good", counter: uint64(at / sha256.Size)}
	_, _ = io.CopyN(io.Discard, h, at%sha256.Size)
	return h
}

// cycle gives the same bytes again and again.
type cycle struct {
	of []byte
	at int
}

// Read implements io.Reader.
func (c *cycle) Read(p []byte) (int, error) {
	n := copy(p, c.of[c.at:])
	c.at = (c.at + n) % len(c.of)
	return n, nil
}

// mapped makes each group of bytes of a source into a group of another size.
type mapped struct {
	source io.Reader
	take   int
	make   func(in []byte) []byte
	rest   []byte
}

// Read implements io.Reader.
func (m *mapped) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		in := make([]byte, m.take)
		if _, err := io.ReadFull(m.source, in); err != nil {
			return 0, err
		}
		m.rest = m.make(in)
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// openStream returns the data of a stream without an end.
func openStream(s script.Stream) io.Reader {
	good := goodFrom(0)
	switch s.Name {
	case "G1":
		return goodFrom(int64(s.Param))
	case "G10":
		return &cycle{of: []byte{0xff}}
	case "zeros":
		return &cycle{of: []byte{0}}
	case "repeat":
		return &cycle{of: fipstest.S("hwrngd-rep16", int(s.Param))}
	case "G15":
		limit := uint16(s.Param * 65536)
		return &mapped{source: &hashed{label: "hwrngd-bias"}, take: 16, make: func(words []byte) []byte {
			var out [1]byte
			for bit := range 8 {
				if binary.BigEndian.Uint16(words[2*bit:]) < limit {
					fipstest.SetBit(out[:], bit, 1)
				}
			}
			return out[:]
		}}
	case "G17":
		return &mapped{source: good, take: 31, make: func(in []byte) []byte { return append(in, 0) }}
	case "G18":
		return &mapped{source: good, take: 4, make: func(in []byte) []byte { return append(in, in...) }}
	case "G21":
		switch s.Form {
		case "hex":
			return &mapped{source: good, take: 1, make: func(in []byte) []byte { return hex.AppendEncode(nil, in) }}
		case "base64":
			return &mapped{source: good, take: 3, make: func(in []byte) []byte { return base64.StdEncoding.AppendEncode(nil, in) }}
		}
		return &mapped{source: good, take: 1, make: func(in []byte) []byte { return []byte{in[0] & 0x7f} }}
	case "G26":
		return &cycle{of: fipstest.G26(1)[:256]}
	case "banner":
		return &cycle{of: []byte("TRNG firmware 1.0 ready.\r\n")}
	}
	panic("no stream " + s.Name)
}

// The streams are those of package fipstest, and go on.
func TestStreams(t *testing.T) {
	const blocks = 3
	g15 := fipstest.G15(0.4, blocks)
	for _, c := range []struct {
		line string
		want []byte
	}{
		{"G1", fipstest.G1(blocks)},
		{"G1 from 2503", fipstest.G1(blocks)[2503:]},
		{"G10", fipstest.G10(blocks)},
		{"zeros", make([]byte, 100)},
		{"repeat 16", fipstest.G12(16, blocks)},
		{"repeat 4096", fipstest.G12(4096, blocks)},
		{"G15 p=0.40", g15},
		{"G17", fipstest.G17(blocks)},
		{"G18", fipstest.G18(blocks)},
		{"G21 hex", fipstest.G21("hex", blocks)},
		{"G21 base64", fipstest.G21("base64", blocks)[:4*(len(fipstest.G1(blocks))/3)]}, // without the filling
		{"G21 top", fipstest.G21("top", blocks)},
		{"G26", fipstest.G26(blocks)},
		{"banner", bytes.Repeat([]byte("TRNG firmware 1.0 ready.\r\n"), 10)},
	} {
		parsed, err := script.Parse(fmt.Sprintf("title t\nchannel fifo\nfeed %s\nstart\nexpect exit = -1", c.line))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(c.want))
		if _, err := io.ReadFull(openStream(parsed.Steps[0].Action.(script.Feed).Stream), got); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s is not that of package fipstest (%v)", c.line, err)
		}
	}
}

// No case may fail by chance: of the good bytes that start-up tests read, no 2500 fail the block
// tests, wherever they begin. Nor do those of 4096 that come again and again: nothing but the repeat
// detector tells.
func TestStreamsPassBlockTests(t *testing.T) {
	const bytesOfG1 = 79_000
	for _, c := range []struct {
		name  string
		data  []byte
		until int
	}{
		{"G1", fipstest.S("hwrngd-good", bytesOfG1), bytesOfG1 - script.BlockBytes},
		{"repeat 4096", fipstest.G12(4096, 3), 4096},
	} {
		for at := range c.until {
			if failed := new(fips.Tester).Block((*[script.BlockBytes]byte)(c.data[at:])); failed != 0 {
				t.Fatalf("%s: the block at %d fails: %s", c.name, at, failed)
			}
		}
	}
}
