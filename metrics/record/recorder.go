package record

import (
	"log/slog"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// Recorder implements [metrics.Recorder] on a store.
type Recorder struct {
	store Store

	logMessages [len(metrics.LogLevels)]Counter

	mu      sync.Mutex // guards sources
	sources map[string]*sourceRecorder
}

var _ metrics.Recorder = (*Recorder)(nil)

// New returns a Recorder that keeps what it is told in store, where all series but those of sources
// must be already. It sets those that never change.
func New(store Store) *Recorder {
	r := &Recorder{store: store, sources: make(map[string]*sourceRecorder)}
	for i, level := range metrics.LogLevels {
		r.logMessages[i] = store.Counter(metrics.LogMessages, level)
	}
	for test, chance := range metrics.FIPSChances() {
		store.Gauge(metrics.FIPSFalseAlarm, test).Set(chance)
	}
	return r
}

// Source returns the recorder of a source and makes its series the first time.
func (r *Recorder) Source(name string) source.Recorder { return r.source(name) }

func (r *Recorder) source(name string) *sourceRecorder {
	name = valid(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sources[name] == nil {
		r.sources[name] = newSourceRecorder(r.store, name)
	}
	return r.sources[name]
}

// BuildInfo identifies the binary.
func (r *Recorder) BuildInfo(b metrics.Build) {
	replace(r.store, metrics.BuildInfo, "", Sample{1, []string{b.Version, b.Revision, b.GoVersion, b.GOOS, b.GOARCH, b.Tags}})
}

// Reloaded records an attempt to load the configuration.
func (r *Recorder) Reloaded(ok bool, at time.Time) {
	r.store.Gauge(metrics.ConfigReloadOK).Set(boolean(ok))
	if ok {
		r.store.Gauge(metrics.ConfigReloadTimestamp).Set(unix(at))
	}
}

// Ready records what /-/ready answers.
func (r *Recorder) Ready(ready bool) { r.store.Gauge(metrics.Ready).Set(boolean(ready)) }

// HWRNG records what the kernel's hw_random class shows.
func (r *Recorder) HWRNG(h metrics.HWRNG) {
	replace(r.store, metrics.HWRNGCurrent, "", infos(h.Current)...)
	replace(r.store, metrics.HWRNGAvailable, "", infos(h.Available...)...)
	var quality []Sample
	if h.QualityKnown {
		quality = []Sample{{Value: h.QualityRatio}}
	}
	replace(r.store, metrics.HWRNGQuality, "", quality...)
}

// HWRNGRotation records whether the generators have their turns.
func (r *Recorder) HWRNGRotation(now *source.Rotation) {
	var rotating []Sample
	if now != nil {
		rotating = []Sample{{Value: boolean(now.Running)}}
	}
	replace(r.store, metrics.HWRNGRotating, "", rotating...)
}

// infos returns a sample for each name that is not empty.
func infos(names ...string) []Sample {
	var samples []Sample
	for _, name := range names {
		if name != "" {
			samples = append(samples, Sample{1, []string{name}})
		}
	}
	return samples
}

// WatchdogTimeout records the service manager's limit.
func (r *Recorder) WatchdogTimeout(d time.Duration) {
	r.store.Gauge(metrics.WatchdogTimeout).Set(d.Seconds())
}

// WatchdogPing counts a ping.
func (r *Recorder) WatchdogPing(at time.Time) {
	r.store.Counter(metrics.WatchdogPings).Add(1)
	replace(r.store, metrics.WatchdogLastPingTimestamp, "", Sample{Value: unix(at)})
}

// LogMessage counts a message.
func (r *Recorder) LogMessage(level slog.Level) { r.logMessages[metrics.LogLevel(level)].Add(1) }

// ExportFailed counts a failed attempt to offer the metrics.
func (r *Recorder) ExportFailed(o metrics.Output) {
	r.store.Counter(metrics.ExportErrors, o.String()).Add(1)
}

// CRNGReady implements pool.Recorder.
func (r *Recorder) CRNGReady(ready bool) { r.store.Gauge(metrics.CRNGReady).Set(boolean(ready)) }

// KernelPool implements pool.Recorder. A size of 0 means that procfs shows neither.
func (r *Recorder) KernelPool(available, size int) {
	var levels, sizes []Sample
	if size > 0 {
		levels, sizes = []Sample{{Value: float64(available)}}, []Sample{{Value: float64(size)}}
	}
	replace(r.store, metrics.KernelEntropyAvailable, "", levels...)
	replace(r.store, metrics.KernelEntropyPoolSize, "", sizes...)
}

// Credited implements pool.Recorder.
func (r *Recorder) Credited(name string, bits, bytes int, at time.Time) {
	s := r.source(name)
	s.creditedBits.Add(float64(bits))
	s.addedBytes.Add(float64(bytes))
	r.store.Gauge(metrics.LastCreditTimestamp).Set(unix(at))
}

// Mixed implements pool.Recorder.
func (r *Recorder) Mixed(name string, bytes int) { r.source(name).addedBytes.Add(float64(bytes)) }

// FirstCredit implements pool.Recorder.
func (r *Recorder) FirstCredit(sinceStart, sinceBoot time.Duration) {
	replace(r.store, metrics.FirstCredit, "", Sample{Value: sinceStart.Seconds()})
	replace(r.store, metrics.FirstCreditBoot, "", Sample{Value: sinceBoot.Seconds()})
}

// IoctlError implements pool.Recorder.
func (r *Recorder) IoctlError(op pool.IoctlOp, reason pool.IoctlReason) {
	r.store.Counter(metrics.IoctlErrors, op.String(), reason.String()).Add(1)
}

// Waited implements pool.Recorder.
func (r *Recorder) Waited(reason pool.WaitReason, d time.Duration) {
	r.store.Counter(metrics.PoolWait, reason.String()).Add(d.Seconds())
}

// Fallback implements pool.Recorder.
func (r *Recorder) Fallback(active bool) {
	r.store.Gauge(metrics.FallbackActive).Set(boolean(active))
}

// RefillInterval implements pool.Recorder.
func (r *Recorder) RefillInterval(d time.Duration) {
	r.store.Gauge(metrics.RefillInterval).Set(d.Seconds())
}

// Monitor implements pool.Recorder.
func (r *Recorder) Monitor(on bool) { r.store.Gauge(metrics.Monitor).Set(boolean(on)) }

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// unix is a point in time as Prometheus counts it.
func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }
