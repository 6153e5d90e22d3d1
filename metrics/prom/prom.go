// Package prom implements the metrics of hwrngd with Prometheus' client library.
//
// Everything that a scrape shows is in memory already: it touches no device and waits for no
// source. All series of a metric exist from the start, so that rate() and absent() work from the
// first scrape, except where the catalogue says otherwise.
package prom

import (
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/hwrngd/hwrngd/metrics/record"
)

const (
	// maxScrapes bounds the memory that scrapers can take, as each gathers all series.
	maxScrapes = 4
	// scrapeTimeout is below the 10 s after which a Prometheus server gives up by default.
	scrapeTimeout = 8 * time.Second
)

// Options configures a Recorder.
type Options struct {
	// Runtime adds the go_* and process_* metrics.
	Runtime bool
}

// Recorder records the metrics of the catalogue in a registry of its own, apart from what the
// client library knows about itself and the process: a textfile gets only the former.
type Recorder struct {
	*record.Recorder
	registry *prometheus.Registry
	library  *prometheus.Registry
	handler  http.Handler
}

// New returns a Recorder with every metric of the catalogue registered.
func New(o Options) *Recorder {
	r := &Recorder{registry: prometheus.NewRegistry(), library: prometheus.NewRegistry()}
	r.Recorder = record.New(newCollectorSet(r.registry))
	if o.Runtime {
		r.library.MustRegister(
			collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		)
	}
	r.handler = promhttp.InstrumentMetricHandler(r.library, promhttp.HandlerFor(r.Gatherer(), promhttp.HandlerOpts{
		Registry: r.library, // counts errors
		// A collector that fails, such as process_* in a sandbox without /proc, must not take the
		// rest with it.
		ErrorHandling:                       promhttp.ContinueOnError,
		MaxRequestsInFlight:                 maxScrapes,
		Timeout:                             scrapeTimeout,
		EnableOpenMetrics:                   true,
		EnableOpenMetricsTextCreatedSamples: true, // shows a restart as a reset of every counter
	}))
	return r
}

// Handler serves the metrics over HTTP.
func (r *Recorder) Handler() http.Handler { return r.handler }

// Gatherer gives access to the metrics within the process.
func (r *Recorder) Gatherer() prometheus.Gatherer { return prometheus.GathererFunc(r.gather) }

// gather returns our metrics and then the library's. No name is in both registries, so that the
// checks of prometheus.Gatherers would only cost time. Even with errors there are families.
func (r *Recorder) gather() ([]*dto.MetricFamily, error) {
	ours, err := r.registry.Gather()
	others, otherErr := r.library.Gather()
	return append(ours, others...), errors.Join(err, otherErr)
}
