package rngtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// wants checks that the text has the lines, apart from "rngtest: ".
func (o *outcome) wants(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(o.text, prefix+line+"\n") {
			t.Errorf("no line %q in:\n%s", line, o.text)
		}
	}
}

// TestReadsNoMoreThanAsked: who shares the input finds the rest of it.
func TestReadsNoMoreThanAsked(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		for _, pipe := range []bool{false, true} {
			t.Run(fmt.Sprintf("ahead=%v,pipe=%v", ahead, pipe), func(t *testing.T) {
				in := bytes.NewReader(fipstest.G1(5))
				got := test(Config{Options: Options{BlockCount: 3, Pipe: pipe}, Input: in, ReadAhead: ahead}, nil, 1)
				left := 2 * fips.BlockBytes
				if pipe {
					left -= wordBytes
				}
				if in.Len() != left {
					t.Errorf("%d bytes are left, want %d", in.Len(), left)
				}
				if strings.Contains(got.text, "drained") {
					t.Errorf("the input has not ended:\n%s", got.text)
				}
			})
		}
	}
}

// sizes notes how many bytes reads ask for.
type sizes struct {
	io.Reader
	largest int
}

func (s *sizes) Read(p []byte) (int, error) {
	s.largest = max(s.largest, len(p))
	return s.Reader.Read(p)
}

// TestReadSize: without ReadAhead a read asks for no more than the rest of a block.
func TestReadSize(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		want := fips.BlockBytes
		if ahead {
			want = aheadBytes
		}
		in := &sizes{Reader: bytes.NewReader(fipstest.G1(300))}
		test(Config{Input: in, ReadAhead: ahead}, nil, 1)
		if in.largest != want {
			t.Errorf("ahead=%v: a read asked for %d bytes, want %d", ahead, in.largest, want)
		}
	}
}

// TestReadAheadIsNotReceived: statistics in the middle of what was read in one piece count what
// they are about.
func TestReadAheadIsNotReceived(t *testing.T) {
	got := test(Config{Options: Options{BlockStats: 1}, ReadAhead: true}, append(fipstest.G1(2), 1, 2), 1)
	for _, bits := range []int{20032, 40032, 40048} {
		got.wants(t, fmt.Sprintf("bits received from input: %d", bits))
	}
}

func TestReadErrors(t *testing.T) {
	failing := func(n int, err error) io.Reader {
		return io.MultiReader(bytes.NewReader(fipstest.G1(3)[:n]), iotest.ErrReader(err))
	}
	for _, c := range []struct {
		name  string
		in    io.Reader
		want  Result
		lines []string
	}{
		{"in a block", failing(3000, syscall.EIO), Broken, []string{"error reading input: Input/output error", "bits received from input: 24000", "FIPS 140-2 successes: 1"}},
		{"with a path", failing(3000, &os.PathError{Op: "read", Path: "x", Err: syscall.EISDIR}), Broken, []string{"error reading input: Is a directory"}},
		{"no number", failing(3000, errors.New("gone")), Broken, []string{"error reading input: Gone"}},
		{"at the bootstrap word", failing(3, syscall.EIO), Failed, []string{"error reading input: Input/output error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := test(Config{Input: c.in}, nil, 1)
			if got.result != c.want {
				t.Errorf("result %v, want %v", got.result, c.want)
			}
			got.wants(t, c.lines...)
			if statistics := strings.Contains(got.text, "bits received"); statistics != (c.want == Broken) {
				t.Errorf("statistics: %v\n%s", statistics, got.text)
			}
		})
	}
}

// narrow is an output that takes limit bytes in pieces, then fails.
type narrow struct {
	limit, piece int
	err          error
}

func (n *narrow) Write(p []byte) (int, error) {
	took := min(n.limit, n.piece, len(p))
	n.limit -= took
	if took < len(p) && n.limit == 0 {
		return took, n.err
	}
	if took < len(p) {
		return took, syscall.EAGAIN
	}
	return took, nil
}

func TestWriteError(t *testing.T) {
	var messages bytes.Buffer
	result := Run(t.Context(), Config{
		Options: Options{Pipe: true}, Input: bytes.NewReader(fipstest.G1(4)), ReadAhead: true,
		Output: &narrow{3000, 1000, syscall.ENOSPC}, Messages: &messages, Banner: banner,
	})
	got := outcome{result: result, text: messages.String()}
	if result != Broken {
		t.Errorf("result %v, want %v", result, Broken)
	}
	got.wants(t, "error writing to output: No space left on device",
		"bits received from input: 40064", "bits sent to output: 24000", "FIPS 140-2 successes: 2")
	if strings.Contains(got.text, "starting") {
		t.Errorf("not silent:\n%s", got.text)
	}
}

// TestPipe: exactly the good blocks come out.
func TestPipe(t *testing.T) {
	// Four bytes in front, so that blocks are where G2 has them.
	stream := append([]byte("skip"), fipstest.G2()...)
	_, blocks := fipstest.Split(stream[4:])
	want := string(blocks[0][:]) + string(blocks[1][:]) + string(blocks[3][:])
	got := test(Config{Options: Options{Pipe: true}}, stream, 1)
	if got.output != want {
		t.Errorf("%d bytes, want %d, or others", len(got.output), len(want))
	}
	got.wants(t, "bits sent to output: 60000", "FIPS 140-2(2001-10-10) Long run: 1")
}

// TestMessagesFail: a closed standard error harms nothing.
func TestMessagesFail(t *testing.T) {
	result := Run(t.Context(), Config{Input: bytes.NewReader(fipstest.G1(2)), Messages: &narrow{err: syscall.EBADF}})
	if result != Passed {
		t.Errorf("result %v, want %v", result, Passed)
	}
}
