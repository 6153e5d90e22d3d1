package prom

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/source"
)

const openMetrics = "application/openmetrics-text; version=1.0.0"

// scrape returns status, content type and body of one request.
func scrape(r *Recorder, accept string) (int, string, string) {
	req := httptest.NewRequest("GET", "/metrics", nil)
	req.Header.Set("Accept", accept)
	rec := httptest.NewRecorder()
	r.Handler().ServeHTTP(rec, req)
	return rec.Code, rec.Header().Get("Content-Type"), rec.Body.String()
}

// countSeries counts the lines of a scrape that are samples.
func countSeries(body string) int {
	n := 0
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}

// The limit is the contract with whoever pays for the storage. OpenMetrics adds one created
// sample for each counter; servers that do not know what they are store them as series.
func TestSeriesCount(t *testing.T) {
	r := New(Options{Runtime: true})
	metricstest.Day(r)
	for name, kind := range map[string]source.Kind{"hwrng": source.KindHWRNG, "jitter": source.KindJitter, "cpu": source.KindCPU, "tty": source.KindTTY} {
		r.Source(name).Info(source.Info{Name: name, Kind: kind, MinEntropy: 1})
	}
	for _, test := range []struct {
		accept string
		below  int
	}{{"text/plain", 400}, {openMetrics, 600}} {
		_, _, body := scrape(r, test.accept)
		n := countSeries(body)
		t.Logf("%s: %d series, %d bytes", test.accept, n, len(body))
		if n >= test.below {
			t.Errorf("%s: %d series, want below %d", test.accept, n, test.below)
		}
	}
}

func TestOpenMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock starts at the year 2000
		r := New(Options{})
		r.Source("hwrng").Read(64, time.Millisecond)
		code, contentType, body := scrape(r, openMetrics)
		if code != 200 || !strings.HasPrefix(contentType, openMetrics) {
			t.Errorf("got %d %s", code, contentType)
		}
		for _, want := range []string{
			"hwrngd_source_read_bytes_total{source=\"hwrng\"} 64.0\n",
			"hwrngd_source_read_bytes_created{source=\"hwrng\"} 9.466848e+08\n",
			"hwrngd_source_read_seconds_created{source=\"hwrng\"} 9.466848e+08\n",
			"# EOF\n",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("scrape lacks %q", want)
			}
		}
	})
}

// Each client gets the format that it asks for, and protobuf has the histograms of both kinds. There are
// no exemplars in any.
func TestFormats(t *testing.T) {
	const protobuf = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
	r := New(Options{})
	metricstest.Day(r)
	for accept, want := range map[string]string{
		"":          "text/plain; version=0.0.4",
		"*/*":       "text/plain; version=0.0.4",
		openMetrics: openMetrics,
		protobuf:    protobuf,
		// What Prometheus asks with and without native histograms.
		protobuf + ";q=0.8," + openMetrics + ";q=0.6,text/plain;version=0.0.4;q=0.2,*/*;q=0.1": protobuf,
		openMetrics + ";q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1":                        openMetrics,
	} {
		code, got, body := scrape(r, accept)
		if code != 200 || !strings.HasPrefix(got, want) {
			t.Errorf("asked for %q: %d %s, want %s", accept, code, got, want)
		}
		if strings.Contains(body, " # {") {
			t.Errorf("asked for %q: has an exemplar", accept)
		}
	}

	_, format, body := scrape(r, protobuf)
	histograms := 0
	decoder := expfmt.NewDecoder(strings.NewReader(body), expfmt.ResponseFormat(http.Header{"Content-Type": {format}}))
	for {
		var family dto.MetricFamily
		if err := decoder.Decode(&family); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, m := range family.GetMetric() {
			if m.Counter.GetExemplar() != nil || len(m.Histogram.GetExemplars()) > 0 {
				t.Errorf("%s has an exemplar", family.GetName())
			}
			if m.Histogram == nil {
				continue
			}
			histograms++
			d := metrics.Catalogue[metrics.SourceReadSeconds]
			native := m.Histogram.Schema != nil && m.Histogram.GetZeroThreshold() > 0 // by which servers know one, also an empty one
			if family.GetName() != d.Name || len(m.Histogram.GetBucket()) != len(d.Buckets) || !native {
				t.Errorf("%s: %v, want classic and native buckets", family.GetName(), m.Histogram)
			}
		}
	}
	if histograms != 2 { // of two sources, of which one was never read
		t.Errorf("%d histograms", histograms)
	}
}

func TestRuntimeMetricsAreOptional(t *testing.T) {
	for _, on := range []bool{false, true} {
		_, _, body := scrape(New(Options{Runtime: on}), "text/plain")
		for _, name := range []string{"\ngo_goroutines ", "\nprocess_resident_memory_bytes "} {
			if strings.Contains(body, name) != on {
				t.Errorf("runtime metrics %v: scrape has%s: %v", on, name[1:], !on)
			}
		}
		if !strings.Contains(body, "promhttp_metric_handler_requests_in_flight 1") {
			t.Error("the handler is not instrumented")
		}
	}
}

// collectorFunc is a collector that does what it likes, such as hang.
type collectorFunc func(chan<- prometheus.Metric)

func (f collectorFunc) Describe(chan<- *prometheus.Desc)    {}
func (f collectorFunc) Collect(ch chan<- prometheus.Metric) { f(ch) }

func TestHangingScrapesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, release := New(Options{}), make(chan struct{})
		r.registry.MustRegister(collectorFunc(func(chan<- prometheus.Metric) { <-release }))

		start, codes := time.Now(), make(chan int, maxScrapes)
		for range maxScrapes {
			go func() {
				code, _, _ := scrape(r, "text/plain")
				codes <- code
			}()
		}
		synctest.Wait()
		if code, _, body := scrape(r, "text/plain"); code != 503 || !strings.Contains(body, "Limit of concurrent requests") {
			t.Errorf("one scrape too many: %d %q", code, body)
		}
		for range maxScrapes {
			if code := <-codes; code != 503 {
				t.Errorf("hanging scrape: %d, want 503", code)
			}
		}
		if took := time.Since(start); took != scrapeTimeout {
			t.Errorf("hanging scrapes took %v, want %v", took, scrapeTimeout)
		}
		close(release)
	})
}

func TestFailingCollectorDoesNotSpoilTheScrape(t *testing.T) {
	r := New(Options{})
	broken := prometheus.NewDesc("broken", "Broken.", nil, nil)
	r.registry.MustRegister(collectorFunc(func(ch chan<- prometheus.Metric) {
		ch <- prometheus.NewInvalidMetric(broken, errors.New("no /proc"))
	}))
	code, _, body := scrape(r, "text/plain")
	if code != 200 || !strings.Contains(body, "hwrngd_ready 0\n") {
		t.Errorf("got %d and %d bytes", code, len(body))
	}
	if _, _, body := scrape(r, "text/plain"); !strings.Contains(body, `promhttp_metric_handler_errors_total{cause="gathering"} 1`) {
		t.Error("the error is not counted")
	}
}

// The daemon is scraped before the kernel's generator is seeded. crypto/rand would block there.
func TestScrapeUsesNoRandomness(t *testing.T) {
	next := func() (b [16]byte) {
		rand.Read(b[:])
		return b
	}
	cryptotest.SetGlobalRandom(t, 1)
	want := next()

	cryptotest.SetGlobalRandom(t, 1)
	r := New(Options{Runtime: true})
	metricstest.Day(r)
	scrape(r, openMetrics)
	if got := next(); got != want {
		t.Error("crypto/rand was used")
	}
}

func BenchmarkScrape(b *testing.B) {
	r := New(Options{Runtime: true})
	metricstest.Day(r)
	for name, kind := range map[string]source.Kind{"hwrng": source.KindHWRNG, "jitter": source.KindJitter, "cpu": source.KindCPU, "tty": source.KindTTY} {
		r.Source(name).Info(source.Info{Name: name, Kind: kind, MinEntropy: 1})
	}
	for _, accept := range []string{"text/plain", openMetrics} {
		b.Run(strings.Split(accept, ";")[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				scrape(r, accept)
			}
		})
	}
}
