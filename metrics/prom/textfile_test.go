package prom

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
)

// The textfile has every metric of the catalogue but those that the catalogue keeps out, and
// nothing of the library's.
func TestWriteText(t *testing.T) {
	r := New(Options{Runtime: true})
	metricstest.Day(r)
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, d := range metrics.Catalogue {
		if has := strings.Contains(text.String(), "# TYPE "+d.Name+" "); has == d.NotInTextfile {
			t.Errorf("%s is there: %t", d.Name, has)
		}
	}
	for line := range strings.Lines(text.String()) {
		if name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "); !strings.HasPrefix(name, "hwrngd_") {
			t.Errorf("foreign line %q", line)
		}
	}
	if !strings.Contains(text.String(), `hwrngd_source_read_seconds_bucket{source="hwrng",le="0.004"} 2`+"\n") {
		t.Error("the classic buckets are missing")
	}
}

// failingWriter takes nothing.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteTextErrors(t *testing.T) {
	r := New(Options{})
	if err := r.WriteText(failingWriter{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
	r.registry.MustRegister(collectorFunc(func(ch chan<- prometheus.Metric) {
		ch <- prometheus.NewInvalidMetric(prometheus.NewDesc("broken", "Broken.", nil, nil), errors.New("no value"))
	}))
	if err := r.WriteText(io.Discard); err == nil || !strings.Contains(err.Error(), "no value") {
		t.Errorf("error %v", err)
	}
}
