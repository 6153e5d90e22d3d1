package rngtest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// stopped runs while feed writes to the input, and stops the run after 10 seconds.
func stopped(t *testing.T, opt Options, output io.Writer, feed func(input io.Writer)) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	in, input := io.Pipe()
	defer input.Close() // lets the worker end
	go feed(input)
	var messages bytes.Buffer
	start := time.Now()
	result := Run(ctx, Config{Options: opt, Input: in, ReadAhead: true, Output: output, Messages: &messages})
	if took := time.Since(start); took != 10*time.Second {
		t.Errorf("took %s, want 10s", took)
	}
	return outcome{result: result, text: messages.String()}
}

// write writes a stream in pieces of a block or less, every second.
func write(stream []byte) func(io.Writer) {
	return func(w io.Writer) {
		for len(stream) > 0 {
			n := min(len(stream), fips.BlockBytes)
			if _, err := w.Write(stream[:n]); err != nil {
				return
			}
			stream = stream[n:]
			time.Sleep(time.Second)
		}
	}
}

func TestStopWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := stopped(t, Options{}, nil, write(fipstest.G1(3)[:6000]))
		if got.result != Passed {
			t.Errorf("result %v, want %v", got.result, Passed)
		}
		got.wants(t, "bits received from input: 48000", "FIPS 140-2 successes: 2",
			"input channel speed: (min=19.531; avg=19.531; max=19.531)Kibits/s", "Program run time: 10000000 microseconds")
		if strings.Contains(got.text, "drained") {
			t.Errorf("the input has not ended:\n%s", got.text)
		}
	})
}

func TestStopInBootstrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := stopped(t, Options{Pipe: true}, nil, write([]byte("1234567")))
		if got.result != Failed || got.text != "" {
			t.Errorf("got %+v", got)
		}
	})
}

// TestStopWhileWriting: the second block is on its way to a reader that has stopped.
func TestStopWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, output := io.Pipe()
		defer reader.Close() // lets the worker end
		go io.ReadFull(reader, make([]byte, fips.BlockBytes))
		got := stopped(t, Options{Pipe: true}, output, func(w io.Writer) { w.Write(fipstest.G1(4)) })
		if got.result != Passed {
			t.Errorf("result %v, want %v", got.result, Passed)
		}
		got.wants(t, "bits received from input: 40064", "bits sent to output: 20000", "FIPS 140-2 successes: 2")
	})
}

// TestTimedStats: the time is looked at after blocks only, and begins anew with each statistics.
func TestTimedStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []string
		in := &paced{stream: fipstest.G1(12), pauses: []time.Duration{0, 0, 1, 1, 1, 1, 5, 1, 1, 2, 1, 2}}
		var messages bytes.Buffer
		Run(t.Context(), Config{Options: Options{TimedStats: 2 * time.Second}, Input: in, Messages: &messages})
		for line := range strings.Lines(messages.String()) {
			if n, ok := strings.CutPrefix(line, prefix+"FIPS 140-2 successes: "); ok {
				steps = append(steps, strings.TrimSpace(n))
			}
		}
		// Blocks come at 0, 1, 2, 3, 4, 9, 10, 11, 13, 14, 16, 16. Statistics are due when more
		// than 2 s have passed: at 3, 9, 13, 16, and at the end.
		if got := strings.Join(steps, " "); got != "4 6 9 11 12" {
			t.Errorf("statistics after blocks %s\n%s", got, messages.String())
		}
	})
}

// paced delivers the bootstrap word and blocks, each after a pause of so many seconds.
type paced struct {
	stream []byte
	pauses []time.Duration
}

func (p *paced) Read(b []byte) (int, error) {
	if len(p.stream) == 0 {
		return 0, io.EOF
	}
	if len(p.pauses) > 0 {
		time.Sleep(p.pauses[0] * time.Second)
		p.pauses = p.pauses[1:]
	}
	n := copy(b, p.stream)
	p.stream = p.stream[n:]
	return n, nil
}

// sulky has nothing ready for a second before each read.
type sulky struct {
	io.Reader
	until time.Time
	calls int
}

func (s *sulky) Read(p []byte) (int, error) {
	s.calls++
	if s.until.IsZero() {
		s.until = time.Now().Add(time.Second)
	}
	if time.Now().Before(s.until) {
		return 0, syscall.EAGAIN
	}
	s.until = time.Time{}
	return s.Reader.Read(p)
}

// TestNotReady: an input that cannot wait is asked again, but not all the time.
func TestNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &sulky{Reader: bytes.NewReader(fipstest.G1(2))}
		var messages bytes.Buffer
		if result := Run(t.Context(), Config{Input: in, Messages: &messages}); result != Passed {
			t.Errorf("result %v\n%s", result, messages.String())
		}
		if most := 4 * int(time.Second/retryPause+1); in.calls > most { // word, two blocks, end
			t.Errorf("%d reads in 4 seconds, want at most %d", in.calls, most)
		}
	})
}
