package prom

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/record"
)

// Bounds of the native part of histograms: resolution of 10 %, in at most about as much memory
// as the classic buckets of all sources.
const (
	nativeFactor     = 1.1
	nativeMaxBuckets = 100
	nativeMinReset   = time.Hour
)

// collectorSet is a store with one collector for each entry of the catalogue.
type collectorSet struct {
	counters   map[metrics.ID]*prometheus.CounterVec
	gauges     map[metrics.ID]*prometheus.GaugeVec
	histograms map[metrics.ID]*prometheus.HistogramVec
	groups     map[metrics.ID]*groups
}

// newCollectorSet makes and registers all collectors, with the series of those that do not
// depend on a source.
func newCollectorSet(registry prometheus.Registerer) *collectorSet {
	s := &collectorSet{
		counters:   make(map[metrics.ID]*prometheus.CounterVec),
		gauges:     make(map[metrics.ID]*prometheus.GaugeVec),
		histograms: make(map[metrics.ID]*prometheus.HistogramVec),
		groups:     make(map[metrics.ID]*groups),
	}
	for i, d := range metrics.Catalogue {
		registry.MustRegister(s.add(metrics.ID(i), d))
		if !d.PerSource() {
			s.initialise(metrics.ID(i), d.Combinations(""))
		}
	}
	return s
}

func (s *collectorSet) add(id metrics.ID, d metrics.Desc) prometheus.Collector {
	switch {
	case d.Grouped():
		s.groups[id] = newGroups(d)
		return s.groups[id]
	case d.Type == metrics.Counter:
		s.counters[id] = prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: d.Name, Help: d.Help, Unit: d.Unit,
		}, d.LabelNames())
		return s.counters[id]
	case d.Type == metrics.Histogram:
		s.histograms[id] = prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: d.Name, Help: d.Help, Unit: d.Unit,
			Buckets:                         d.Buckets,
			NativeHistogramBucketFactor:     nativeFactor,
			NativeHistogramMaxBucketNumber:  nativeMaxBuckets,
			NativeHistogramMinResetDuration: nativeMinReset,
		}, d.LabelNames())
		return s.histograms[id]
	}
	s.gauges[id] = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: d.Name, Help: d.Help, Unit: d.Unit,
	}, d.LabelNames())
	return s.gauges[id]
}

// AddSource implements record.Store.
func (s *collectorSet) AddSource(name string) {
	for i, d := range metrics.Catalogue {
		if d.PerSource() {
			s.initialise(metrics.ID(i), d.Combinations(name))
		}
	}
}

// initialise makes one series for each combination of label values.
func (s *collectorSet) initialise(id metrics.ID, combinations [][]string) {
	for _, values := range combinations {
		switch {
		case s.counters[id] != nil:
			s.Counter(id, values...)
		case s.gauges[id] != nil:
			s.Gauge(id, values...)
		case s.histograms[id] != nil:
			s.Histogram(id, values...)
		}
	}
}

// Counter implements record.Store.
func (s *collectorSet) Counter(id metrics.ID, labels ...string) record.Counter {
	return s.counters[id].WithLabelValues(labels...)
}

// Gauge implements record.Store.
func (s *collectorSet) Gauge(id metrics.ID, labels ...string) record.Gauge {
	return s.gauges[id].WithLabelValues(labels...)
}

// Histogram implements record.Store.
func (s *collectorSet) Histogram(id metrics.ID, labels ...string) record.Histogram {
	return s.histograms[id].WithLabelValues(labels...)
}

// Replace implements record.Store.
func (s *collectorSet) Replace(id metrics.ID, key string, samples ...record.Sample) {
	s.groups[id].replace(key, samples)
}
