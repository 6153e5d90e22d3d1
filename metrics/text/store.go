package text

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/record"
)

// store holds the values of all metrics. One lock is enough: there are some hundred changes a second
// at most, and none takes long.
type store struct {
	mu       sync.Mutex // guards the series
	families [len(metrics.Catalogue)]family
	sorted   []*family // by name, as they are written
}

// family is one metric with all its series.
type family struct {
	metrics.Desc
	labels []int     // the indices of the labels, sorted by their names
	series []*series // sorted by the values of the labels in that order
}

// series is one combination of label values, in the order of the catalogue, with its value.
type series struct {
	labels []string
	group  string // the key by which it is replaced, in a family that is grouped
	value  float64

	// Of a histogram; value is the sum there.
	counts []uint64 // by bucket, the last one for what is above all bounds
}

func newStore() *store {
	s := new(store)
	for i, d := range metrics.Catalogue {
		f := &s.families[i]
		f.Desc = d
		for l := range d.Labels {
			f.labels = append(f.labels, l)
		}
		slices.SortFunc(f.labels, func(a, b int) int { return strings.Compare(d.Labels[a].Name, d.Labels[b].Name) })
		s.sorted = append(s.sorted, f)
		if !d.PerSource() {
			f.initialise("")
		}
	}
	slices.SortFunc(s.sorted, func(a, b *family) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// initialise makes the series that are there from the start.
func (f *family) initialise(source string) {
	for _, labels := range f.Combinations(source) {
		f.at(labels)
	}
}

// at returns the series with these labels, which it makes if it is not there.
func (f *family) at(labels []string) *series {
	i, found := slices.BinarySearchFunc(f.series, labels, func(s *series, labels []string) int {
		for _, l := range f.labels {
			if c := strings.Compare(s.labels[l], labels[l]); c != 0 {
				return c
			}
		}
		return 0
	})
	if !found {
		s := &series{labels: labels}
		if f.Type == metrics.Histogram {
			s.counts = make([]uint64, len(f.Buckets)+1)
		}
		f.series = slices.Insert(f.series, i, s)
	}
	return f.series[i]
}

// AddSource implements record.Store.
func (s *store) AddSource(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.families {
		if f := &s.families[i]; f.PerSource() {
			f.initialise(name)
		}
	}
}

// Counter implements record.Store.
func (s *store) Counter(id metrics.ID, labels ...string) record.Counter { return s.handle(id, labels) }

// Gauge implements record.Store.
func (s *store) Gauge(id metrics.ID, labels ...string) record.Gauge { return s.handle(id, labels) }

// Histogram implements record.Store.
func (s *store) Histogram(id metrics.ID, labels ...string) record.Histogram {
	return s.handle(id, labels)
}

func (s *store) handle(id metrics.ID, labels []string) *handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.families[id]
	return &handle{s, f, f.at(labels)}
}

// Replace implements record.Store.
func (s *store) Replace(id metrics.ID, key string, samples ...record.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.families[id]
	f.series = slices.DeleteFunc(f.series, func(s *series) bool { return s.group == key })
	for _, sample := range samples {
		series := f.at(sample.Labels)
		series.group, series.value = key, sample.Value
	}
}

// handle is a series within reach.
type handle struct {
	store  *store
	family *family
	series *series
}

// Add implements record.Counter.
func (h *handle) Add(v float64) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.series.value += v
}

// Set implements record.Gauge.
func (h *handle) Set(v float64) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.series.value = v
}

// Observe implements record.Histogram. A bound belongs to its bucket.
func (h *handle) Observe(v float64) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	bucket, _ := slices.BinarySearchFunc(h.family.Buckets, v, cmp.Compare[float64])
	h.series.counts[bucket]++
	h.series.value += v
}
