package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// logQueue is how many messages wait at most for a log that is slow.
const logQueue = 256

// queueHandler writes messages from a goroutine of its own. A pipe that nobody reads, or a log
// daemon that hangs, then costs messages; it must never stop the feeding, the watchdog's pings or
// the stop of the daemon.
type queueHandler struct {
	slog.Handler
	queue chan<- *queued
	lost  *atomic.Int64
}

// queued is one message, or with a done channel a question whether all before it is written.
type queued struct {
	to   slog.Handler
	what slog.Record
	done chan<- struct{}
}

// newQueueHandler returns a handler that passes messages to next by way of a queue, and a function
// that waits until all of them are written, at most limit.
func newQueueHandler(next slog.Handler) (h slog.Handler, flush func(limit time.Duration)) {
	queue := make(chan *queued, logQueue) // pointers, or an empty queue would take 80 KB
	q := &queueHandler{Handler: next, queue: queue, lost: new(atomic.Int64)}
	go q.write(queue)
	return q, func(limit time.Duration) {
		late := time.After(limit)
		done := make(chan struct{})
		select {
		case queue <- &queued{done: done}:
		case <-late:
			return
		}
		select {
		case <-done:
		case <-late:
		}
	}
}

func (h *queueHandler) write(queue <-chan *queued) {
	for q := range queue {
		if q.done != nil {
			close(q.done)
			continue
		}
		_ = q.to.Handle(context.Background(), q.what)
		if n := h.lost.Swap(0); n > 0 {
			r := slog.NewRecord(time.Now(), slog.LevelWarn, "log is slow, messages were lost", 0)
			r.AddAttrs(slog.Int64("lost", n))
			_ = h.Handler.Handle(context.Background(), r)
		}
	}
}

// Handle implements [slog.Handler]. It never waits.
func (h *queueHandler) Handle(_ context.Context, r slog.Record) error {
	select {
	case h.queue <- &queued{to: h.Handler, what: r.Clone()}:
	default:
		h.lost.Add(1)
	}
	return nil
}

// WithAttrs implements [slog.Handler].
func (h *queueHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &queueHandler{h.Handler.WithAttrs(attrs), h.queue, h.lost}
}

// WithGroup implements [slog.Handler].
func (h *queueHandler) WithGroup(name string) slog.Handler {
	return &queueHandler{h.Handler.WithGroup(name), h.queue, h.lost}
}
