package prom

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hwrngd/hwrngd/metrics"
)

// Bounds of the native part of histograms: resolution of 10 %, in at most about as much memory
// as the classic buckets of all sources.
const (
	nativeFactor     = 1.1
	nativeMaxBuckets = 100
	nativeMinReset   = time.Hour
)

// sourceLabel marks the metrics that exist once for each source. It is always the first label.
const sourceLabel = "source"

// collectorSet holds one collector for each entry of the catalogue.
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
		if !perSource(d) {
			s.initialise(metrics.ID(i), combinations(d.Labels))
		}
	}
	return s
}

func (s *collectorSet) add(id metrics.ID, d metrics.Desc) prometheus.Collector {
	switch {
	case isGrouped(d):
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

// addSource makes the series of a source at 0.
func (s *collectorSet) addSource(name string) {
	for i, d := range metrics.Catalogue {
		if perSource(d) {
			s.initialise(metrics.ID(i), prefixed(name, combinations(d.Labels[1:])))
		}
	}
}

// initialise makes one series for each combination of label values. Groups have none until they
// are set.
func (s *collectorSet) initialise(id metrics.ID, combinations [][]string) {
	for _, values := range combinations {
		switch {
		case s.counters[id] != nil:
			s.counter(id, values...)
		case s.gauges[id] != nil:
			s.gauge(id, values...)
		case s.histograms[id] != nil:
			s.histogram(id, values...)
		}
	}
}

func (s *collectorSet) counter(id metrics.ID, values ...string) prometheus.Counter {
	return s.counters[id].WithLabelValues(values...)
}

func (s *collectorSet) gauge(id metrics.ID, values ...string) prometheus.Gauge {
	return s.gauges[id].WithLabelValues(values...)
}

func (s *collectorSet) histogram(id metrics.ID, values ...string) prometheus.Observer {
	return s.histograms[id].WithLabelValues(values...)
}

func perSource(d metrics.Desc) bool {
	return len(d.Labels) > 0 && d.Labels[0].Name == sourceLabel
}

// combinations returns every combination of the values of closed labels; a metric without labels
// has the one empty combination.
func combinations(labels []metrics.Label) [][]string {
	all := [][]string{nil}
	for _, l := range labels {
		var longer [][]string
		for _, head := range all {
			for _, value := range l.Values {
				longer = append(longer, append(slices.Clip(head), value))
			}
		}
		all = longer
	}
	return all
}

func prefixed(first string, combinations [][]string) [][]string {
	for i, rest := range combinations {
		combinations[i] = append([]string{first}, rest...)
	}
	return combinations
}
