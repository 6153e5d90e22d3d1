// Package text implements the metrics of hwrngd with nothing but the standard library, for builds where
// every kilobyte counts. What it writes is to the byte what package prom writes in the text format,
// less what the client library knows about itself and the process; it has no native histograms.
//
// The format is "Exposition formats, text-based format", version 0.0.4, of the Prometheus
// documentation.
package text

import (
	"bytes"
	"io"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/record"
)

// ContentType is the media type of what a Recorder writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Recorder records the metrics of the catalogue.
type Recorder struct {
	*record.Recorder
	store *store
}

// New returns a Recorder with every metric of the catalogue.
func New() *Recorder {
	s := newStore()
	return &Recorder{Recorder: record.New(s), store: s}
}

// WriteMetrics writes all metrics. What is slow to take them holds up nobody else.
func (r *Recorder) WriteMetrics(w io.Writer) error {
	return r.write(w, func(metrics.Desc) bool { return true })
}

// WriteText writes the metrics as node_exporter's textfile collector takes them, without what
// node_exporter itself reports.
func (r *Recorder) WriteText(w io.Writer) error {
	return r.write(w, func(d metrics.Desc) bool { return !d.NotInTextfile })
}

func (r *Recorder) write(w io.Writer, wanted func(metrics.Desc) bool) error {
	var b bytes.Buffer
	r.store.write(&b, wanted)
	_, err := w.Write(b.Bytes())
	return err
}
