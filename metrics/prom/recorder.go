package prom

import (
	"log/slog"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// Source returns the recorder of a source and makes its series the first time.
func (r *Recorder) Source(name string) source.Recorder { return r.source(name) }

func (r *Recorder) source(name string) *sourceRecorder {
	name = strings.ToValidUTF8(name, "\uFFFD")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sources[name] == nil {
		r.sources[name] = newSourceRecorder(r.set, name)
	}
	return r.sources[name]
}

// BuildInfo identifies the binary.
func (r *Recorder) BuildInfo(b metrics.Build) {
	r.set.groups[metrics.BuildInfo].replace("", sample{1, []string{b.Version, b.Revision, b.GoVersion, b.GOOS, b.GOARCH, b.Tags}})
}

// Reloaded records an attempt to load the configuration.
func (r *Recorder) Reloaded(ok bool, at time.Time) {
	r.set.gauge(metrics.ConfigReloadOK).Set(boolean(ok))
	if ok {
		r.set.gauge(metrics.ConfigReloadTimestamp).Set(unix(at))
	}
}

// Ready records what /-/ready answers.
func (r *Recorder) Ready(ready bool) { r.set.gauge(metrics.Ready).Set(boolean(ready)) }

// HWRNG records what the kernel's hw_random class shows.
func (r *Recorder) HWRNG(h metrics.HWRNG) {
	r.set.groups[metrics.HWRNGCurrent].replace("", infos(h.Current)...)
	r.set.groups[metrics.HWRNGAvailable].replace("", infos(h.Available...)...)
	var quality []sample
	if h.QualityKnown {
		quality = []sample{{value: h.QualityRatio}}
	}
	r.set.groups[metrics.HWRNGQuality].replace("", quality...)
}

// infos returns a sample for each name that is not empty.
func infos(names ...string) []sample {
	var samples []sample
	for _, name := range names {
		if name != "" {
			samples = append(samples, sample{1, []string{name}})
		}
	}
	return samples
}

// WatchdogTimeout records the service manager's limit.
func (r *Recorder) WatchdogTimeout(d time.Duration) {
	r.set.gauge(metrics.WatchdogTimeout).Set(d.Seconds())
}

// WatchdogPing counts a ping.
func (r *Recorder) WatchdogPing(at time.Time) {
	r.set.counter(metrics.WatchdogPings).Inc()
	r.set.groups[metrics.WatchdogLastPingTimestamp].replace("", sample{value: unix(at)})
}

// LogMessage counts a message.
func (r *Recorder) LogMessage(level slog.Level) { r.logMessages[metrics.LogLevel(level)].Inc() }

// ExportFailed counts a failed attempt to offer the metrics.
func (r *Recorder) ExportFailed(o metrics.Output) {
	r.set.counter(metrics.ExportErrors, o.String()).Inc()
}

// CRNGReady implements pool.Recorder.
func (r *Recorder) CRNGReady(ready bool) { r.set.gauge(metrics.CRNGReady).Set(boolean(ready)) }

// KernelPool implements pool.Recorder. A size of 0 means that procfs shows neither.
func (r *Recorder) KernelPool(available, size int) {
	var levels, sizes []sample
	if size > 0 {
		levels, sizes = []sample{{value: float64(available)}}, []sample{{value: float64(size)}}
	}
	r.set.groups[metrics.KernelEntropyAvailable].replace("", levels...)
	r.set.groups[metrics.KernelEntropyPoolSize].replace("", sizes...)
}

// Credited implements pool.Recorder.
func (r *Recorder) Credited(name string, bits, bytes int, at time.Time) {
	s := r.source(name)
	s.creditedBits.Add(float64(bits))
	s.addedBytes.Add(float64(bytes))
	r.set.gauge(metrics.LastCreditTimestamp).Set(unix(at))
}

// Mixed implements pool.Recorder.
func (r *Recorder) Mixed(name string, bytes int) { r.source(name).addedBytes.Add(float64(bytes)) }

// FirstCredit implements pool.Recorder.
func (r *Recorder) FirstCredit(sinceStart, sinceBoot time.Duration) {
	r.set.groups[metrics.FirstCredit].replace("", sample{value: sinceStart.Seconds()})
	r.set.groups[metrics.FirstCreditBoot].replace("", sample{value: sinceBoot.Seconds()})
}

// IoctlError implements pool.Recorder.
func (r *Recorder) IoctlError(op pool.IoctlOp, reason pool.IoctlReason) {
	r.set.counter(metrics.IoctlErrors, op.String(), reason.String()).Inc()
}

// Waited implements pool.Recorder.
func (r *Recorder) Waited(reason pool.WaitReason, d time.Duration) {
	r.set.counter(metrics.PoolWait, reason.String()).Add(d.Seconds())
}

// Fallback implements pool.Recorder.
func (r *Recorder) Fallback(active bool) {
	r.set.gauge(metrics.FallbackActive).Set(boolean(active))
}

// RefillInterval implements pool.Recorder.
func (r *Recorder) RefillInterval(d time.Duration) {
	r.set.gauge(metrics.RefillInterval).Set(d.Seconds())
}

// Monitor implements pool.Recorder.
func (r *Recorder) Monitor(on bool) { r.set.gauge(metrics.Monitor).Set(boolean(on)) }

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// unix is a point in time as Prometheus counts it.
func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }
