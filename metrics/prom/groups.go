package prom

import (
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hwrngd/hwrngd/metrics"
)

// groups collects a metric whose series come, change and go together: the label sets of an info
// metric, the states of a state set, the one value of a gauge that is absent until known. A
// group is replaced as a whole, so that a scrape never sees two states at once, or none.
type groups struct {
	desc *prometheus.Desc

	mu     sync.Mutex
	series map[string][]prometheus.Metric // by key of the group
}

// isGrouped tells which metrics of the catalogue need a groups collector.
func isGrouped(d metrics.Desc) bool {
	return d.Type == metrics.Info || d.Type == metrics.StateSet || d.Absent != ""
}

func newGroups(d metrics.Desc) *groups {
	return &groups{
		desc:   prometheus.V2.NewDesc(d.Name, d.Help, prometheus.UnconstrainedLabels(d.LabelNames()), nil, prometheus.WithUnit(d.Unit)),
		series: make(map[string][]prometheus.Metric),
	}
}

// sample is the value of one series.
type sample struct {
	value  float64
	labels []string
}

// replace makes samples the whole content of the group with that key. No samples remove it.
func (g *groups) replace(key string, samples ...sample) {
	var series []prometheus.Metric
	for i, s := range samples {
		// Labels come from drivers and configuration. One that is not UTF-8 makes the library
		// panic, and a generator that the kernel lists twice makes every scrape fail.
		for j, label := range s.labels {
			s.labels[j] = strings.ToValidUTF8(label, "\uFFFD")
		}
		repeated := func(earlier sample) bool { return slices.Equal(earlier.labels, s.labels) }
		if !slices.ContainsFunc(samples[:i], repeated) {
			series = append(series, prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, s.value, s.labels...))
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.series[key] = series
}

// Describe implements prometheus.Collector.
func (g *groups) Describe(ch chan<- *prometheus.Desc) { ch <- g.desc }

// Collect implements prometheus.Collector.
func (g *groups) Collect(ch chan<- prometheus.Metric) {
	for _, m := range g.all() {
		ch <- m
	}
}

// all copies the series, since a scraper that drains ch slowly must not hold up replace.
func (g *groups) all() []prometheus.Metric {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []prometheus.Metric
	for _, series := range g.series {
		all = append(all, series...)
	}
	return all
}
