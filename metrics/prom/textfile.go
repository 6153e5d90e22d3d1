package prom

import (
	"io"

	"github.com/prometheus/common/expfmt"

	"github.com/hwrngd/hwrngd/metrics"
)

// WriteText writes the metrics as node_exporter's textfile collector takes them: in the text
// format, which has no native histograms, and without what node_exporter itself reports.
func (r *Recorder) WriteText(w io.Writer) error {
	families, err := r.registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if notInTextfile[family.GetName()] {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return err
		}
	}
	return nil
}

// notInTextfile holds the names of the metrics that node_exporter has under a name of its own.
var notInTextfile = func() map[string]bool {
	names := make(map[string]bool)
	for _, d := range metrics.Catalogue {
		names[d.Name] = d.NotInTextfile
	}
	return names
}()
