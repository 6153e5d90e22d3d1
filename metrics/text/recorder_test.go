package text

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/metrics/prom"
	"github.com/hwrngd/hwrngd/source"
)

// written returns what one of a recorder's two ways of writing gives.
func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// same compares line by line, so that a failure shows the first line that differs.
func same(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d:\ngot  %q\nwant %q", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d lines, want %d", len(g), len(w))
	}
}

// The golden scrapes are those of package prom, but for what its library adds.
func TestSameAsGolden(t *testing.T) {
	for file, setUp := range map[string]func(metrics.Recorder){
		"start":   func(r metrics.Recorder) { r.Source("hwrng") },
		"running": metricstest.Day,
	} {
		t.Run(file, func(t *testing.T) {
			r := New()
			setUp(r)
			golden, err := os.ReadFile("../prom/testdata/" + file + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			ours, _, found := strings.Cut(string(golden), "# HELP promhttp_")
			if !found {
				t.Fatal("the golden file has nothing of the library")
			}
			same(t, written(t, r.WriteMetrics), ours)
		})
	}
}

// strange reports what a hostile driver or an odd configuration can.
func strange(r metrics.Recorder) {
	r.BuildInfo(metrics.Build{Version: `1"2`, Revision: "a\\b\nc", Tags: "minimal"})
	r.HWRNG(metrics.HWRNG{Current: "ba\xff", Available: []string{"z", "ba\xfe", "ba\xff", "a", "z", ""}, QualityRatio: 1. / 3, QualityKnown: true})
	for _, name := range []string{"tty", "cpu", "hwrng"} {
		s := r.Source(name)
		s.Info(source.Info{Kind: source.KindFile, Driver: "d\t" + name, Device: `/dev/"x"`, MinEntropy: 0.1})
		s.Read(1<<30, 123456789*time.Nanosecond)
		s.State(source.Failed)
	}
	r.KernelPool(0, 4096)
	r.Waited(0, 1234567*time.Hour)
}

// TestSameAsProm compares both implementations after the same events, also the labels that have to be
// escaped or mended.
func TestSameAsProm(t *testing.T) {
	for name, events := range map[string]func(metrics.Recorder){
		"nothing": func(metrics.Recorder) {},
		"a day":   metricstest.Day,
		"strange": strange,
		"both":    func(r metrics.Recorder) { metricstest.Day(r); strange(r) },
		"random":  random,
	} {
		t.Run(name, func(t *testing.T) {
			p, r := prom.New(prom.Options{}), New()
			events(p)
			events(r)
			same(t, written(t, r.WriteText), written(t, p.WriteText))

			var all bytes.Buffer
			families, err := p.Gatherer().Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				if strings.HasPrefix(f.GetName(), "hwrngd_") {
					if _, err := expfmt.MetricFamilyToText(&all, f); err != nil {
						t.Fatal(err)
					}
				}
			}
			same(t, written(t, r.WriteMetrics), all.String())
		})
	}
}

// random reports some thousand events of the kinds with the most label values, from a seed.
func random(r metrics.Recorder) {
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"hwrng", "jitter", "cpu"}
	for range 3000 {
		s := r.Source(names[rnd.IntN(len(names))])
		switch rnd.IntN(4) {
		case 0:
			s.Read(rnd.IntN(5000), time.Duration(rnd.Int64N(int64(20*time.Second))))
		case 1:
			s.State(source.States[rnd.IntN(len(source.States))])
		case 2:
			s.ReadError(source.ReadReasons[rnd.IntN(len(source.ReadReasons))])
		case 3:
			s.Discarded(rnd.IntN(5000), source.DiscardReasons[rnd.IntN(len(source.DiscardReasons))])
		}
	}
}

// TestBucketBounds: a value that is a bound counts within it.
func TestBucketBounds(t *testing.T) {
	r := New()
	r.Source("hwrng").Read(1, time.Second)
	text := written(t, r.WriteMetrics)
	for _, line := range []string{`{source="hwrng",le="0.25"} 0`, `{source="hwrng",le="1"} 1`} {
		if !strings.Contains(text, "hwrngd_source_read_seconds_bucket"+line+"\n") {
			t.Errorf("lacks %s", line)
		}
	}
}

// The linter's parser is Prometheus' own.
func TestParses(t *testing.T) {
	r := New()
	strange(r)
	if _, err := promlint.New(strings.NewReader(written(t, r.WriteMetrics))).Lint(); err != nil {
		t.Error(err)
	}
}

// failingWriter takes nothing.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	if err := New().WriteText(failingWriter{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

// blockedWriter takes nothing before it is released.
type blockedWriter struct{ entered, release chan struct{} }

func (w blockedWriter) Write(p []byte) (int, error) {
	close(w.entered)
	<-w.release
	return len(p), nil
}

// TestSlowReaderHoldsUpNobody: whoever takes the text slowly must not stop the sources.
func TestSlowReaderHoldsUpNobody(t *testing.T) {
	r := New()
	w := blockedWriter{make(chan struct{}), make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.WriteMetrics(w) })
	<-w.entered
	r.Source("hwrng").Read(64, time.Millisecond) // would hang
	close(w.release)
	wg.Wait()
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	r := New()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				s := r.Source("hwrng")
				s.Read(64, time.Millisecond)
				s.State(source.Active)
				s.State(source.Starting)
				_ = r.WriteMetrics(io.Discard)
			}
		})
	}
	wg.Wait()
	if text := written(t, r.WriteMetrics); !strings.Contains(text, `hwrngd_source_read_bytes_total{source="hwrng"} 12800`+"\n") {
		t.Error("bytes were lost")
	}
}
