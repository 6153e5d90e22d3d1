package sourcetest

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// Recorder implements [source.Recorder] and remembers what it was told. The zero value is ready
// to use.
type Recorder struct {
	mu     sync.Mutex
	events Events
}

var _ source.Recorder = (*Recorder)(nil)

// Events is what a Recorder was told.
type Events struct {
	Infos      []source.Info
	States     []source.State
	Reads      int
	BytesRead  int
	ReadErrors map[source.ReadReason]int
	Discarded  map[source.DiscardReason]int // bytes
	Blocks     map[fips.Failure]int         // by verdict
	Samples    int
	Alarms     []Alarm
	Cutoffs    map[source.HealthTest]int // in force
	Startups   []time.Duration
	Successes  []time.Time
	MinEntropy [][]float64 // each report
}

// Alarm is one failed health test.
type Alarm struct {
	Test    source.HealthTest
	Verdict sp80090b.Verdict
}

// AllDiscarded returns the number of bytes discarded for any reason.
func (e *Events) AllDiscarded() (sum int) {
	for _, n := range e.Discarded {
		sum += n
	}
	return sum
}

// Events returns what was reported so far.
func (r *Recorder) Events() Events {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.events
	e.Infos, e.States, e.Alarms = slices.Clone(e.Infos), slices.Clone(e.States), slices.Clone(e.Alarms)
	e.Startups, e.Successes = slices.Clone(e.Startups), slices.Clone(e.Successes)
	e.MinEntropy = slices.Clone(e.MinEntropy)
	e.ReadErrors, e.Discarded = maps.Clone(e.ReadErrors), maps.Clone(e.Discarded)
	e.Blocks, e.Cutoffs = maps.Clone(e.Blocks), maps.Clone(e.Cutoffs)
	return e
}

func (r *Recorder) note(change func(*Events)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events.Blocks == nil {
		r.events.ReadErrors = map[source.ReadReason]int{}
		r.events.Discarded = map[source.DiscardReason]int{}
		r.events.Blocks = map[fips.Failure]int{}
		r.events.Cutoffs = map[source.HealthTest]int{}
	}
	change(&r.events)
}

// Info implements [source.Recorder].
func (r *Recorder) Info(i source.Info) {
	r.note(func(e *Events) { e.Infos = append(e.Infos, i) })
}

// State implements [source.Recorder].
func (r *Recorder) State(s source.State) {
	r.note(func(e *Events) { e.States = append(e.States, s) })
}

// Read implements [source.Recorder].
func (r *Recorder) Read(n int, _ time.Duration) {
	r.note(func(e *Events) { e.Reads++; e.BytesRead += n })
}

// ReadError implements [source.Recorder].
func (r *Recorder) ReadError(why source.ReadReason) {
	r.note(func(e *Events) { e.ReadErrors[why]++ })
}

// Discarded implements [source.Recorder].
func (r *Recorder) Discarded(n int, why source.DiscardReason) {
	r.note(func(e *Events) { e.Discarded[why] += n })
}

// Block implements [source.Recorder].
func (r *Recorder) Block(f fips.Failure) {
	r.note(func(e *Events) { e.Blocks[f]++ })
}

// HealthSamples implements [source.Recorder].
func (r *Recorder) HealthSamples(n int) {
	r.note(func(e *Events) { e.Samples += n })
}

// HealthFailure implements [source.Recorder].
func (r *Recorder) HealthFailure(t source.HealthTest, v sp80090b.Verdict) {
	r.note(func(e *Events) { e.Alarms = append(e.Alarms, Alarm{t, v}) })
}

// HealthCutoff implements [source.Recorder].
func (r *Recorder) HealthCutoff(t source.HealthTest, cutoff int, _ sp80090b.Alpha) {
	r.note(func(e *Events) { e.Cutoffs[t] = cutoff })
}

// StartupTest implements [source.Recorder].
func (r *Recorder) StartupTest(took time.Duration) {
	r.note(func(e *Events) { e.Startups = append(e.Startups, took) })
}

// Success implements [source.Recorder].
func (r *Recorder) Success(at time.Time) {
	r.note(func(e *Events) { e.Successes = append(e.Successes, at) })
}

// MinEntropy implements [source.Recorder].
func (r *Recorder) MinEntropy(bits []float64) {
	r.note(func(e *Events) { e.MinEntropy = append(e.MinEntropy, slices.Clone(bits)) })
}
