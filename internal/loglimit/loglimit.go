// Package loglimit keeps a log short: one line a kind of message and minute.
//
// It serves what happens by itself, such as a source that comes and goes. What an operator asked
// for (a reload, a stop) must be answered at once and goes around it.
package loglimit

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Every is how often one kind of message of one source is written at most: flash disks are small.
const Every = time.Minute

// Handler is made by [New].
type Handler struct {
	slog.Handler
	about  string // values of the attributes that tell kinds apart
	recent *recent
}

// recent holds the kinds of message that were written within the last Every.
type recent struct {
	mu    sync.Mutex
	kinds map[string]*kind
}

// kind is one kind of message.
type kind struct {
	held    *slog.Record // newest message held back
	through slog.Handler // for held
	count   int          // held back since the last one written
}

// New returns a handler that lets the first message of a kind pass to next and holds later ones back
// until Every has gone by. Then the newest of those is written with the number of the others, so
// that the log ends with what is true. Kinds are told apart by the message and by what it is about,
// the attributes "source" and "address". Debug messages are not limited.
func New(next slog.Handler) *Handler {
	return &Handler{Handler: next, recent: &recent{kinds: map[string]*kind{}}}
}

// Handle implements [slog.Handler].
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo {
		return h.Handler.Handle(ctx, r)
	}
	key := h.about + "\x00" + r.Message
	r.Attrs(func(a slog.Attr) bool {
		key += subject(a)
		return true
	})
	h.recent.mu.Lock()
	k := h.recent.kinds[key]
	if k == nil {
		h.recent.kinds[key] = &kind{}
		h.recent.mu.Unlock()
		time.AfterFunc(Every, func() { h.recent.release(key) })
		return h.Handler.Handle(ctx, r)
	}
	held := r.Clone()
	k.held, k.through = &held, h.Handler
	k.count++
	h.recent.mu.Unlock()
	return nil
}

// Flush writes what is held back, the oldest first: nothing follows it, as the program ends.
func (h *Handler) Flush() {
	h.recent.mu.Lock()
	var all []kind
	for _, k := range h.recent.kinds {
		if k.held != nil {
			all = append(all, *k)
		}
		*k = kind{}
	}
	h.recent.mu.Unlock()
	slices.SortFunc(all, func(a, b kind) int { return a.held.Time.Compare(b.held.Time) })
	for _, k := range all {
		k.write()
	}
}

// release writes what was held back, if anything, or else forgets the kind.
func (r *recent) release(key string) {
	r.mu.Lock()
	k := *r.kinds[key]
	if k.held == nil {
		delete(r.kinds, key)
		r.mu.Unlock()
		return
	}
	*r.kinds[key] = kind{}
	r.mu.Unlock()
	time.AfterFunc(Every, func() { r.release(key) })
	k.write()
}

// write writes what was held back, with the number of the others.
func (k kind) write() {
	if others := k.count - 1; others > 0 {
		k.held.AddAttrs(slog.Int("suppressed", others))
	}
	_ = k.through.Handle(context.Background(), *k.held)
}

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := &Handler{Handler: h.Handler.WithAttrs(attrs), about: h.about, recent: h.recent}
	for _, a := range attrs {
		next.about += subject(a)
	}
	return next
}

// WithGroup implements [slog.Handler].
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{Handler: h.Handler.WithGroup(name), about: h.about, recent: h.recent}
}

// subject returns the part of a kind that the attribute contributes, "" if none.
func subject(a slog.Attr) string {
	if a.Key != "source" && a.Key != "address" {
		return ""
	}
	return "\x00" + a.Value.String()
}
