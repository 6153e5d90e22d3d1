package main

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// logEvery is how often one kind of message of one source is written at most. A source that comes
// and goes all day must not fill a flash disk.
const logEvery = time.Minute

// limitHandler lets the first message of a kind pass and holds later ones back until logEvery has
// gone by. Then the newest of those is written with the number of the others, so that the log
// ends with what is true. Debug messages are not limited.
type limitHandler struct {
	slog.Handler
	source string // kinds are told apart by message and source
	state  *limitState
}

type limitState struct {
	mu    sync.Mutex
	kinds map[string]*limitKind
}

// limitKind is one kind of message that was written within the last logEvery.
type limitKind struct {
	held    *slog.Record // newest message held back
	through slog.Handler // for held
	count   int          // held back since the last one written
}

func newLimitHandler(next slog.Handler) slog.Handler {
	return &limitHandler{Handler: next, state: &limitState{kinds: map[string]*limitKind{}}}
}

func (h *limitHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo {
		return h.Handler.Handle(ctx, r)
	}
	key := h.source + "\x00" + r.Message
	h.state.mu.Lock()
	kind := h.state.kinds[key]
	if kind == nil {
		h.state.kinds[key] = &limitKind{}
		h.state.mu.Unlock()
		time.AfterFunc(logEvery, func() { h.state.release(key) })
		return h.Handler.Handle(ctx, r)
	}
	held := r.Clone()
	kind.held, kind.through = &held, h.Handler
	kind.count++
	h.state.mu.Unlock()
	return nil
}

// release writes what was held back, if anything, or else forgets the kind.
func (s *limitState) release(key string) {
	s.mu.Lock()
	kind := s.kinds[key]
	held, through, others := kind.held, kind.through, kind.count-1
	if held == nil {
		delete(s.kinds, key)
		s.mu.Unlock()
		return
	}
	*kind = limitKind{}
	s.mu.Unlock()
	time.AfterFunc(logEvery, func() { s.release(key) })
	if others > 0 {
		held.AddAttrs(slog.Int("suppressed", others))
	}
	_ = through.Handle(context.Background(), *held)
}

func (h *limitHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := &limitHandler{Handler: h.Handler.WithAttrs(attrs), source: h.source, state: h.state}
	for _, a := range attrs {
		if a.Key == "source" {
			next.source = a.Value.String()
		}
	}
	return next
}

func (h *limitHandler) WithGroup(name string) slog.Handler {
	return &limitHandler{Handler: h.Handler.WithGroup(name), source: h.source, state: h.state}
}
