package rngtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// splitReader delivers a stream in pieces of the given lengths, over and over.
type splitReader struct {
	bytes.Reader
	lengths []byte // each plus one
	at      int
}

func (s *splitReader) Read(p []byte) (int, error) {
	if len(s.lengths) > 0 {
		length := 1 + int(s.lengths[s.at%len(s.lengths)])
		s.at++
		p = p[:min(len(p), length)]
	}
	return s.Reader.Read(p)
}

// counters are the lines of rngtest's statistics that hold no time, computed in the plainest way.
func counters(stream []byte, pipe bool) string {
	var s statistics
	boot := stream[:wordBytes]
	stream = stream[wordBytes:]
	if pipe {
		boot, stream = stream[:wordBytes], stream[wordBytes:]
		s.received = wordBytes
	}
	s.received += wordBytes + int64(len(stream))
	var tester fips.Tester
	tester.Prime([4]byte(boot))
	for ; len(stream) >= fips.BlockBytes; stream = stream[fips.BlockBytes:] {
		failed := tester.Block((*fipstest.Block)(stream))
		if failed == 0 {
			s.sent += fips.BlockBytes
		}
		s.count(failed)
	}
	if s.pipe = pipe; !pipe {
		s.sent = 0
	}
	return untimed(string(s.text(0)))
}

// untimed returns the lines without a time.
func untimed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "speed: ") && !strings.Contains(line, "run time: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// FuzzSplit: however the input comes, and wherever it ends, the counters are those of all of it.
func FuzzSplit(f *testing.F) {
	stream := append(fipstest.G2(), fipstest.G1(1)...)
	for _, length := range []int{8, 2503, 2504, 2507, 2508, 5004, len(stream)} {
		f.Add([]byte{}, uint16(length), false, true)
		f.Add([]byte{3, 0, 255}, uint16(length), true, false)
	}
	f.Add([]byte{0}, uint16(7600), true, true)
	f.Fuzz(func(t *testing.T, lengths []byte, length uint16, pipe, ahead bool) {
		part := stream[:min(len(stream), max(2*wordBytes, int(length)))]
		in := &splitReader{lengths: lengths}
		in.Reset(part)
		got := test(Config{Options: Options{Pipe: pipe}, Input: in, ReadAhead: ahead}, nil, 1)
		want := counters(part, pipe)
		if !pipe {
			want = fmt.Sprintf("%s\n\n%sstarting FIPS tests...\n%sentropy source drained\n%s", banner, prefix, prefix, want)
		}
		if text := untimed(got.text); text != want {
			t.Errorf("got:\n%s\nwant:\n%s", text, want)
		}
	})
}
