package prom

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/hwrngd/hwrngd/metrics/metricstest"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// The files are complete scrapes. "start" shows which series exist before anything has happened,
// "running" a daemon to which everything has happened once.
func TestGoldenScrape(t *testing.T) {
	for _, test := range []struct {
		file  string
		setUp func(*Recorder)
	}{
		{"testdata/start.golden", func(r *Recorder) { r.Source("hwrng") }},
		{"testdata/running.golden", func(r *Recorder) { metricstest.Day(r) }},
	} {
		t.Run(test.file, func(t *testing.T) {
			r := New(Options{})
			test.setUp(r)
			if *update {
				if err := prometheus.WriteToTextfile(test.file, r.Gatherer()); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(test.file)
			if err != nil {
				t.Fatal(err)
			}
			if err := testutil.GatherAndCompare(r.Gatherer(), bytes.NewReader(want)); err != nil {
				t.Error(err)
			}
		})
	}
}
