package pooltest

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/pool"
)

// Recorder implements [pool.Recorder] and remembers what it was told. The zero value is ready to
// use.
type Recorder struct {
	mu     sync.Mutex
	events Events
}

var _ pool.Recorder = (*Recorder)(nil)

// Events is what a Recorder was told.
type Events struct {
	Ready     []bool // changes only
	Available int    // the last report
	Size      int
	Credits   []Credit
	Mixed     map[string]int // bytes by source
	First     []FirstCredit
	Errors    []IoctlError
	Waited    map[pool.WaitReason]time.Duration
	Intervals []time.Duration // of refill, as set
	Monitor   bool            // as last told
	Fallback  bool            // as last told
}

// Credit is one seed that the kernel took.
type Credit struct {
	Source      string
	Bits, Bytes int
	At          time.Time
}

// FirstCredit is the report of the first credit.
type FirstCredit struct{ SinceStart, SinceBoot time.Duration }

// IoctlError is one failed call.
type IoctlError struct {
	Op     pool.IoctlOp
	Reason pool.IoctlReason
}

// Events returns what was reported so far.
func (r *Recorder) Events() Events {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.events
	e.Ready, e.Credits, e.First = slices.Clone(e.Ready), slices.Clone(e.Credits), slices.Clone(e.First)
	e.Errors, e.Intervals = slices.Clone(e.Errors), slices.Clone(e.Intervals)
	e.Mixed, e.Waited = maps.Clone(e.Mixed), maps.Clone(e.Waited)
	return e
}

func (r *Recorder) note(change func(*Events)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events.Mixed == nil {
		r.events.Mixed, r.events.Waited = map[string]int{}, map[pool.WaitReason]time.Duration{}
	}
	change(&r.events)
}

// CRNGReady implements [pool.Recorder].
func (r *Recorder) CRNGReady(ready bool) {
	r.note(func(e *Events) {
		if n := len(e.Ready); n == 0 || e.Ready[n-1] != ready {
			e.Ready = append(e.Ready, ready)
		}
	})
}

// KernelPool implements [pool.Recorder].
func (r *Recorder) KernelPool(available, size int) {
	r.note(func(e *Events) { e.Available, e.Size = available, size })
}

// Credited implements [pool.Recorder].
func (r *Recorder) Credited(source string, bits, bytes int, at time.Time) {
	r.note(func(e *Events) { e.Credits = append(e.Credits, Credit{source, bits, bytes, at}) })
}

// Mixed implements [pool.Recorder].
func (r *Recorder) Mixed(source string, bytes int) {
	r.note(func(e *Events) { e.Mixed[source] += bytes })
}

// FirstCredit implements [pool.Recorder].
func (r *Recorder) FirstCredit(sinceStart, sinceBoot time.Duration) {
	r.note(func(e *Events) { e.First = append(e.First, FirstCredit{sinceStart, sinceBoot}) })
}

// IoctlError implements [pool.Recorder].
func (r *Recorder) IoctlError(op pool.IoctlOp, reason pool.IoctlReason) {
	r.note(func(e *Events) { e.Errors = append(e.Errors, IoctlError{op, reason}) })
}

// Waited implements [pool.Recorder].
func (r *Recorder) Waited(why pool.WaitReason, d time.Duration) {
	r.note(func(e *Events) { e.Waited[why] += d })
}

// Fallback implements [pool.Recorder].
func (r *Recorder) Fallback(active bool) { r.note(func(e *Events) { e.Fallback = active }) }

// RefillInterval implements [pool.Recorder].
func (r *Recorder) RefillInterval(d time.Duration) {
	r.note(func(e *Events) { e.Intervals = append(e.Intervals, d) })
}

// Monitor implements [pool.Recorder].
func (r *Recorder) Monitor(on bool) { r.note(func(e *Events) { e.Monitor = on }) }
