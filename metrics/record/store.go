// Package record turns what happens in the daemon into values of the catalogue's metrics. What
// keeps these values is a [Store]: that of package prom uses Prometheus' client library, that of
// package text is a small one for routers. Both therefore show the same.
package record

import (
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/metrics"
)

// Store keeps the values of all metrics. Label values come in the order of the catalogue, and all are
// valid UTF-8. All methods, and those of what they return, are safe for concurrent use and never block.
type Store interface {
	// AddSource makes the series of a source, at 0.
	AddSource(name string)
	Counter(id metrics.ID, labels ...string) Counter
	Gauge(id metrics.ID, labels ...string) Gauge
	Histogram(id metrics.ID, labels ...string) Histogram
	// Replace makes samples the whole content of the group with that key of a metric that is
	// [metrics.Desc.Grouped], so that nobody sees two states at once, or none. No samples remove it.
	Replace(id metrics.ID, key string, samples ...Sample)
}

// Counter only grows.
type Counter interface{ Add(float64) }

// Gauge has a value.
type Gauge interface{ Set(float64) }

// Histogram counts observations by size.
type Histogram interface{ Observe(float64) }

// Sample is the value of one series.
type Sample struct {
	Value  float64
	Labels []string
}

// replace replaces a group of store. Labels come from drivers and configuration: one that is not UTF-8
// makes Prometheus' library panic, and a generator that the kernel lists twice would make every scrape
// fail.
func replace(store Store, id metrics.ID, key string, samples ...Sample) {
	var kept []Sample
	for _, s := range samples {
		for i, label := range s.Labels {
			s.Labels[i] = valid(label)
		}
		repeated := func(earlier Sample) bool { return slices.Equal(earlier.Labels, s.Labels) }
		if !slices.ContainsFunc(kept, repeated) {
			kept = append(kept, s)
		}
	}
	store.Replace(id, key, kept...)
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
