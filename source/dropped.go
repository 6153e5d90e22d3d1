package source

import (
	"sync/atomic"
	"time"
)

// Dropper is a [Source] that reads more than it hands out: what a device may still hold from before it was opened,
// or from another generator.
type Dropper interface {
	// Dropped returns how many bytes it read and dropped so far. It may be called while another method runs.
	Dropped() uint64
}

// Dropped accounts for the bytes of a [Dropper]. It is safe for concurrent use.
type Dropped struct {
	rec Recorder
	sum atomic.Uint64
}

// NewDropped returns one that tells rec, too.
func NewDropped(rec Recorder) *Dropped { return &Dropped{rec: rec} }

// Add counts n bytes, read within took.
func (d *Dropped) Add(n int, took time.Duration) {
	if n > 0 {
		d.sum.Add(uint64(n))
		d.rec.Read(n, took)
		d.rec.Discarded(n, DiscardStartup)
	}
}

// Sum returns how many bytes were counted.
func (d *Dropped) Sum() uint64 { return d.sum.Load() }
