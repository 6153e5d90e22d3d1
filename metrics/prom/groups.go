package prom

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/record"
)

// groups collects a metric that is Grouped. A group is replaced as a whole, so that a scrape never sees
// two states at once, or none.
type groups struct {
	desc *prometheus.Desc

	mu     sync.Mutex
	series map[string][]prometheus.Metric // by key of the group
}

func newGroups(d metrics.Desc) *groups {
	return &groups{
		desc:   prometheus.V2.NewDesc(d.Name, d.Help, prometheus.UnconstrainedLabels(d.LabelNames()), nil, prometheus.WithUnit(d.Unit)),
		series: make(map[string][]prometheus.Metric),
	}
}

// replace makes samples the whole content of the group with that key. No samples remove it.
func (g *groups) replace(key string, samples []record.Sample) {
	var series []prometheus.Metric
	for _, s := range samples {
		series = append(series, prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, s.Value, s.Labels...))
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
