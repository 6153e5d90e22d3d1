package rngtest

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

const banner = "rngtest of hwrngd 1.2.3"

// outcome is all that a run leaves behind.
type outcome struct {
	result       Result
	output, text string
}

// test runs a stream through at a clock that advances by step whenever it is read.
func test(c Config, stream []byte, step time.Duration) outcome {
	var output, messages bytes.Buffer
	if c.Input == nil {
		c.Input = bytes.NewReader(stream)
	}
	c.Output, c.Messages, c.Banner = &output, &messages, banner
	var now time.Duration
	result := run(context.Background(), c, func() time.Duration {
		now += step
		return now
	})
	return outcome{result, output.String(), messages.String()}
}

func TestGolden(t *testing.T) {
	for _, golden := range []struct {
		file   string
		config Config
		stream []byte
		want   Result
	}{
		{"good.txt", Config{}, fipstest.G1(4), Passed},
		{"bad.txt", Config{}, fipstest.G2(), Failed},
		{"zeros.txt", Config{}, make([]byte, 5004), Failed},
		{"tail.txt", Config{}, append(fipstest.G1(1), make([]byte, 100)...), Passed},
		{"blockcount.txt", Config{Options: Options{BlockCount: 2}}, fipstest.G2(), Passed},
		{"blockstats.txt", Config{Options: Options{BlockStats: 2}}, fipstest.G2(), Failed},
		{"timedstats.txt", Config{Options: Options{TimedStats: 4 * time.Millisecond}}, fipstest.G2(), Failed},
		{"ahead.txt", Config{ReadAhead: true}, fipstest.G2(), Failed},
		{"pipe.txt", Config{Options: Options{Pipe: true}}, fipstest.G2(), Failed},
		{"pipestats.txt", Config{Options: Options{Pipe: true, BlockStats: 1, BlockCount: 3}}, append([]byte("skip"), fipstest.G2()...), Failed},
		{"empty.txt", Config{}, nil, Failed},
		{"bootstrap.txt", Config{}, fipstest.G2()[:4], Failed},
		{"bootstrappipe.txt", Config{Options: Options{Pipe: true}}, fipstest.G2()[:8], Failed},
	} {
		t.Run(golden.file, func(t *testing.T) {
			got := test(golden.config, golden.stream, 1500*time.Microsecond)
			if got.result != golden.want {
				t.Errorf("result %v, want %v", got.result, golden.want)
			}
			kit.Golden(t, filepath.Join("testdata", golden.file), got.text)
		})
	}
}
