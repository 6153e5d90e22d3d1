package record

import (
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// sourceRecorder records one source. It keeps the series that change with every read or block
// at hand, since to look one up by its labels costs more than to count.
type sourceRecorder struct {
	name  string
	store Store

	creditedBits, addedBytes Counter
	readBytes, healthSamples Counter
	blocksPassed             Counter
	readSeconds              Histogram
	lastSuccess              Gauge

	mu    sync.Mutex // guards state
	state source.State
}

func newSourceRecorder(store Store, name string) *sourceRecorder {
	store.AddSource(name)
	r := &sourceRecorder{
		name:          name,
		store:         store,
		creditedBits:  store.Counter(metrics.CreditedBits, name),
		addedBytes:    store.Counter(metrics.AddedBytes, name),
		readBytes:     store.Counter(metrics.SourceReadBytes, name),
		healthSamples: store.Counter(metrics.HealthSamples, name),
		blocksPassed:  store.Counter(metrics.FIPSBlocks, name, metrics.BlockPass),
		readSeconds:   store.Histogram(metrics.SourceReadSeconds, name),
		lastSuccess:   store.Gauge(metrics.SourceLastSuccessTimestamp, name),
	}
	r.show(source.Disabled)
	return r
}

// Info implements source.Recorder. The labels of before go.
func (r *sourceRecorder) Info(i source.Info) {
	replace(r.store, metrics.SourceInfo, r.name, Sample{1, []string{r.name, string(i.Kind), i.Driver, i.Device}})
	r.store.Gauge(metrics.SourceClaimedMinEntropy, r.name).Set(i.MinEntropy)
	r.store.Gauge(metrics.SourceExpectedFailure, r.name).Set(metrics.ExpectedFailure(i))
}

// State implements source.Recorder. To enter the present state again is no transition.
func (r *sourceRecorder) State(next source.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if next == r.state {
		return
	}
	r.store.Counter(metrics.SourceTransitions, r.name, next.String()).Add(1)
	r.show(next)
}

// show makes state the one that is 1.
func (r *sourceRecorder) show(state source.State) {
	var samples []Sample
	for _, s := range source.States {
		samples = append(samples, Sample{boolean(s == state), []string{r.name, s.String()}})
	}
	replace(r.store, metrics.SourceState, r.name, samples...)
	r.state = state
}

// Read implements source.Recorder.
func (r *sourceRecorder) Read(n int, took time.Duration) {
	r.readBytes.Add(float64(n))
	r.readSeconds.Observe(took.Seconds())
}

// ReadError implements source.Recorder.
func (r *sourceRecorder) ReadError(reason source.ReadReason) {
	r.store.Counter(metrics.SourceReadErrors, r.name, reason.String()).Add(1)
}

// Discarded implements source.Recorder.
func (r *sourceRecorder) Discarded(n int, why source.DiscardReason) {
	r.store.Counter(metrics.SourceDiscardedBytes, r.name, why.String()).Add(float64(n))
}

// Block implements source.Recorder.
func (r *sourceRecorder) Block(failed fips.Failure) {
	if failed == 0 {
		r.blocksPassed.Add(1)
		return
	}
	r.store.Counter(metrics.FIPSBlocks, r.name, metrics.BlockFail).Add(1)
	for _, test := range fips.Tests {
		if failed.Has(test) {
			r.store.Counter(metrics.FIPSTestFailures, r.name, test.Name()).Add(1)
		}
	}
}

// HealthSamples implements source.Recorder.
func (r *sourceRecorder) HealthSamples(n int) { r.healthSamples.Add(float64(n)) }

// HealthFailure implements source.Recorder. A verdict that is no alarm counts nothing.
func (r *sourceRecorder) HealthFailure(test source.HealthTest, verdict sp80090b.Verdict) {
	if verdict != sp80090b.OK {
		r.store.Counter(metrics.HealthFailures, r.name, test.String(), verdict.String()).Add(1)
	}
}

// HealthCutoff implements source.Recorder.
func (r *sourceRecorder) HealthCutoff(test source.HealthTest, cutoff int, alpha sp80090b.Alpha) {
	r.store.Gauge(metrics.HealthCutoff, r.name, test.String()).Set(float64(cutoff))
	r.store.Gauge(metrics.HealthFalseAlarm, r.name, test.String()).Set(alpha.Float64())
}

// StartupTest implements source.Recorder.
func (r *sourceRecorder) StartupTest(took time.Duration) {
	r.store.Gauge(metrics.StartupTest, r.name).Set(took.Seconds())
}

// Success implements source.Recorder.
func (r *sourceRecorder) Success(at time.Time) { r.lastSuccess.Set(unix(at)) }

// MinEntropy implements source.Recorder. The figures of one window come and go together.
func (r *sourceRecorder) MinEntropy(bits []float64) {
	var samples []Sample
	for i, h := range bits {
		samples = append(samples, Sample{h, []string{r.name, source.Estimators[i].String()}})
	}
	replace(r.store, metrics.SourceMinEntropy, r.name, samples...)
}
