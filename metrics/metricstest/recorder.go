// Package metricstest has a metrics recorder for tests of what uses one.
package metricstest

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// Recorder remembers every call as one line of text: the method and its arguments, such as
// "Ready true", with the name of the source in front of what concerns one, such as
// "hwrng State active". The zero value is ready to use.
type Recorder struct {
	mu    sync.Mutex
	calls []string
}

var _ metrics.Recorder = (*Recorder)(nil)

// Calls returns the lines of all calls so far.
func (r *Recorder) Calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Count returns how many calls begin with prefix.
func (r *Recorder) Count(prefix string) int {
	n := 0
	for _, call := range r.Calls() {
		if strings.HasPrefix(call, prefix) {
			n++
		}
	}
	return n
}

func (r *Recorder) add(words ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, strings.TrimSuffix(fmt.Sprintln(words...), "\n"))
}

// Source implements metrics.Recorder.
func (r *Recorder) Source(name string) source.Recorder {
	r.add("Source", name)
	return sourceRecorder{r, name}
}

// The other methods of metrics.Recorder.
func (r *Recorder) BuildInfo(b metrics.Build)       { r.add("BuildInfo", b) }
func (r *Recorder) Reloaded(ok bool, at time.Time)  { r.add("Reloaded", ok, stamp(at)) }
func (r *Recorder) Ready(ready bool)                { r.add("Ready", ready) }
func (r *Recorder) HWRNG(h metrics.HWRNG)           { r.add("HWRNG", h) }
func (r *Recorder) WatchdogTimeout(d time.Duration) { r.add("WatchdogTimeout", d) }
func (r *Recorder) WatchdogPing(at time.Time)       { r.add("WatchdogPing", stamp(at)) }
func (r *Recorder) LogMessage(level slog.Level)     { r.add("LogMessage", level) }
func (r *Recorder) ExportFailed(o metrics.Output)   { r.add("ExportFailed", o) }

// HWRNGRotation implements metrics.Recorder. The line ends in "none", "running" or "stopped".
func (r *Recorder) HWRNGRotation(now *source.Rotation) {
	state := "stopped"
	switch {
	case now == nil:
		state = "none"
	case now.Running:
		state = "running"
	}
	r.add("HWRNGRotation", state)
}

// The methods of pool.Recorder.
func (r *Recorder) CRNGReady(ready bool)           { r.add("CRNGReady", ready) }
func (r *Recorder) KernelPool(available, size int) { r.add("KernelPool", available, size) }
func (r *Recorder) Credited(name string, bits, bytes int, at time.Time) {
	r.add(name, "Credited", bits, bytes, stamp(at))
}
func (r *Recorder) Mixed(name string, bytes int) { r.add(name, "Mixed", bytes) }
func (r *Recorder) FirstCredit(sinceStart, sinceBoot time.Duration) {
	r.add("FirstCredit", sinceStart, sinceBoot)
}

func (r *Recorder) IoctlError(op pool.IoctlOp, why pool.IoctlReason) { r.add("IoctlError", op, why) }
func (r *Recorder) Waited(why pool.WaitReason, d time.Duration)      { r.add("Waited", why, d) }
func (r *Recorder) Fallback(active bool)                             { r.add("Fallback", active) }
func (r *Recorder) RefillInterval(d time.Duration)                   { r.add("RefillInterval", d) }
func (r *Recorder) Monitor(on bool)                                  { r.add("Monitor", on) }

// sourceRecorder writes into the Recorder that made it.
type sourceRecorder struct {
	r    *Recorder
	name string
}

func (s sourceRecorder) Info(i source.Info)              { s.r.add(s.name, "Info", i) }
func (s sourceRecorder) State(state source.State)        { s.r.add(s.name, "State", state) }
func (s sourceRecorder) Read(n int, took time.Duration)  { s.r.add(s.name, "Read", n, took) }
func (s sourceRecorder) ReadError(why source.ReadReason) { s.r.add(s.name, "ReadError", why) }
func (s sourceRecorder) Block(failed fips.Failure)       { s.r.add(s.name, "Block", failed) }
func (s sourceRecorder) HealthSamples(n int)             { s.r.add(s.name, "HealthSamples", n) }
func (s sourceRecorder) StartupTest(took time.Duration)  { s.r.add(s.name, "StartupTest", took) }
func (s sourceRecorder) Success(at time.Time)            { s.r.add(s.name, "Success", stamp(at)) }
func (s sourceRecorder) MinEntropy(bits []float64)       { s.r.add(s.name, "MinEntropy", bits) }
func (s sourceRecorder) Discarded(n int, why source.DiscardReason) {
	s.r.add(s.name, "Discarded", n, why)
}

func (s sourceRecorder) HealthFailure(test source.HealthTest, v sp80090b.Verdict) {
	s.r.add(s.name, "HealthFailure", test, v)
}

func (s sourceRecorder) HealthCutoff(test source.HealthTest, cutoff int, alpha sp80090b.Alpha) {
	s.r.add(s.name, "HealthCutoff", test, cutoff, alpha.Float64())
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
