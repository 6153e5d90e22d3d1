package main

import (
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
)

// observer is a Recorder that also wakes the supervisor at events which change the daemon's
// status, so that nobody needs to poll.
type observer struct {
	metrics.Recorder
	events chan struct{}
	seeded chan struct{} // closed at the first sight of a kernel that is ready
	once   sync.Once
	// sourceChanged is called when a source is in another state; it must not wait.
	sourceChanged func()
}

func observe(rec metrics.Recorder) *observer {
	return &observer{Recorder: rec, events: make(chan struct{}, 1), seeded: make(chan struct{}), sourceChanged: func() {}}
}

func (o *observer) wake() {
	select {
	case o.events <- struct{}{}:
	default:
	}
}

func (o *observer) CRNGReady(ready bool) {
	o.Recorder.CRNGReady(ready)
	if ready {
		o.once.Do(func() { close(o.seeded) })
	}
	o.wake()
}

func (o *observer) Credited(name string, bits, bytes int, at time.Time) {
	o.Recorder.Credited(name, bits, bytes, at)
	o.wake()
}

func (o *observer) Source(name string) source.Recorder {
	return &sourceObserver{o.Recorder.Source(name), o}
}

type sourceObserver struct {
	source.Recorder
	o *observer
}

func (s *sourceObserver) State(state source.State) {
	s.Recorder.State(state)
	s.o.sourceChanged()
	s.o.wake()
}
