package audit

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

// way is one to bring a stream to a Meter.
type way struct {
	name    string
	workers int
	feed    func(t *testing.T, m *Meter, data []byte)
}

func ways() []way {
	write := func(size func(rng *rand.Rand) int) func(*testing.T, *Meter, []byte) {
		return func(t *testing.T, m *Meter, data []byte) {
			rng := rand.New(rand.NewPCG(uint64(len(data)), 1))
			for len(data) > 0 {
				// A Meter must not keep what it was given.
				part := bytes.Clone(data[:min(len(data), size(rng))])
				if n, err := m.Write(part); n != len(part) || err != nil {
					t.Fatalf("writing %d bytes: %d, %v", len(part), n, err)
				}
				data = data[len(part):]
				fill(0, part)
			}
		}
	}
	read := func(wrap func(io.Reader) io.Reader) func(*testing.T, *Meter, []byte) {
		return func(t *testing.T, m *Meter, data []byte) {
			n, err := m.ReadFrom(wrap(bytes.NewReader(data)))
			if n != int64(len(data)) || err != nil {
				t.Fatalf("reading %d bytes: %d, %v", len(data), n, err)
			}
		}
	}
	whole := func(r io.Reader) io.Reader { return r }
	ragged := func(r io.Reader) io.Reader { return &raggedReader{r, rand.New(rand.NewPCG(2, 2))} }
	return []way{
		{"write", 1, write(func(*rand.Rand) int { return 1 << 30 })},
		{"write bytes", 1, write(func(*rand.Rand) int { return 1 })},
		{"write parts", 1, write(func(rng *rand.Rand) int { return 1 + rng.IntN(7000) })},
		{"read", 1, read(whole)},
		{"read ragged", 1, read(ragged)},
		{"read in parallel", 2, read(whole)},
		{"read bytes in parallel", 2, read(iotest.OneByteReader)},
		{"read ragged in parallel", 3, read(ragged)},
		{"read late end in parallel", 2, read(iotest.DataErrReader)},
		{"all of it", 2, func(t *testing.T, m *Meter, data []byte) {
			a, b := len(data)/3, len(data)/3*2
			write(func(rng *rand.Rand) int { return 1 + rng.IntN(7000) })(t, m, data[:a])
			m.Finish() // changes nothing
			read(ragged)(t, m, data[a:b])
			m.Finish()
			m.Kept()
			write(func(*rand.Rand) int { return 1 << 30 })(t, m, data[b:])
			read(whole)(t, m, nil)
		}},
	}
}

// raggedReader reads as much as it likes, or nothing.
type raggedReader struct {
	r   io.Reader
	rng *rand.Rand
}

func (r *raggedReader) Read(p []byte) (int, error) {
	return r.r.Read(p[:min(len(p), r.rng.IntN(4000))])
}
