package prom

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// sourceRecorder records one source. It keeps the series that change with every read or block
// at hand, since to look one up by its labels costs more than to count.
type sourceRecorder struct {
	name string
	set  *collectorSet

	creditedBits, addedBytes prometheus.Counter
	readBytes, healthSamples prometheus.Counter
	blocksPassed             prometheus.Counter
	readSeconds              prometheus.Observer
	lastSuccess              prometheus.Gauge

	mu    sync.Mutex // guards state
	state source.State
}

func newSourceRecorder(set *collectorSet, name string) *sourceRecorder {
	set.addSource(name)
	r := &sourceRecorder{
		name:          name,
		set:           set,
		creditedBits:  set.counter(metrics.CreditedBits, name),
		addedBytes:    set.counter(metrics.AddedBytes, name),
		readBytes:     set.counter(metrics.SourceReadBytes, name),
		healthSamples: set.counter(metrics.HealthSamples, name),
		blocksPassed:  set.counter(metrics.FIPSBlocks, name, metrics.BlockPass),
		readSeconds:   set.histogram(metrics.SourceReadSeconds, name),
		lastSuccess:   set.gauge(metrics.SourceLastSuccessTimestamp, name),
	}
	r.show(source.Disabled)
	return r
}

// Info implements source.Recorder. The labels of before go.
func (r *sourceRecorder) Info(i source.Info) {
	r.set.groups[metrics.SourceInfo].replace(r.name, sample{1, []string{r.name, string(i.Kind), i.Driver, i.Device}})
	r.set.gauge(metrics.SourceClaimedMinEntropy, r.name).Set(i.MinEntropy)
	r.set.gauge(metrics.SourceExpectedFailure, r.name).Set(metrics.ExpectedFailure(i))
}

// State implements source.Recorder. To enter the present state again is no transition.
func (r *sourceRecorder) State(next source.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if next == r.state {
		return
	}
	r.set.counter(metrics.SourceTransitions, r.name, next.String()).Inc()
	r.show(next)
}

// show makes state the one that is 1.
func (r *sourceRecorder) show(state source.State) {
	var samples []sample
	for _, s := range source.States {
		samples = append(samples, sample{boolean(s == state), []string{r.name, s.String()}})
	}
	r.set.groups[metrics.SourceState].replace(r.name, samples...)
	r.state = state
}

// Read implements source.Recorder.
func (r *sourceRecorder) Read(n int, took time.Duration) {
	r.readBytes.Add(float64(n))
	r.readSeconds.Observe(took.Seconds())
}

// ReadError implements source.Recorder.
func (r *sourceRecorder) ReadError(reason source.ReadReason) {
	r.set.counter(metrics.SourceReadErrors, r.name, reason.String()).Inc()
}

// Discarded implements source.Recorder.
func (r *sourceRecorder) Discarded(n int, why source.DiscardReason) {
	r.set.counter(metrics.SourceDiscardedBytes, r.name, why.String()).Add(float64(n))
}

// Block implements source.Recorder.
func (r *sourceRecorder) Block(failed fips.Failure) {
	if failed == 0 {
		r.blocksPassed.Inc()
		return
	}
	r.set.counter(metrics.FIPSBlocks, r.name, metrics.BlockFail).Inc()
	for _, test := range fips.Tests {
		if failed.Has(test) {
			r.set.counter(metrics.FIPSTestFailures, r.name, test.Name()).Inc()
		}
	}
}

// HealthSamples implements source.Recorder.
func (r *sourceRecorder) HealthSamples(n int) { r.healthSamples.Add(float64(n)) }

// HealthFailure implements source.Recorder. A verdict that is no alarm counts nothing.
func (r *sourceRecorder) HealthFailure(test source.HealthTest, verdict sp80090b.Verdict) {
	if verdict != sp80090b.OK {
		r.set.counter(metrics.HealthFailures, r.name, test.String(), verdict.String()).Inc()
	}
}

// HealthCutoff implements source.Recorder.
func (r *sourceRecorder) HealthCutoff(test source.HealthTest, cutoff int, alpha sp80090b.Alpha) {
	r.set.gauge(metrics.HealthCutoff, r.name, test.String()).Set(float64(cutoff))
	r.set.gauge(metrics.HealthFalseAlarm, r.name, test.String()).Set(alpha.Float64())
}

// StartupTest implements source.Recorder.
func (r *sourceRecorder) StartupTest(took time.Duration) {
	r.set.gauge(metrics.StartupTest, r.name).Set(took.Seconds())
}

// Success implements source.Recorder.
func (r *sourceRecorder) Success(at time.Time) { r.lastSuccess.Set(unix(at)) }

// MinEntropy implements source.Recorder. The figures of one window come and go together.
func (r *sourceRecorder) MinEntropy(bits []float64) {
	var samples []sample
	for i, h := range bits {
		samples = append(samples, sample{h, []string{r.name, source.Estimators[i].String()}})
	}
	r.set.groups[metrics.SourceMinEntropy].replace(r.name, samples...)
}
