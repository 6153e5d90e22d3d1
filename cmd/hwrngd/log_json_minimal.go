//go:build minimal

package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// jsonHandler writes the lines that zap writes in the default build, by slog's own encoder.
type jsonHandler struct {
	slog.Handler // writes to line, without the time
	line         *bytes.Buffer
	mu           *sync.Mutex // guards line and out
	out          io.Writer
}

// newJSONHandler returns a handler that writes lines for programs.
func newJSONHandler(out io.Writer) slog.Handler {
	line := new(bytes.Buffer)
	options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: zapAttr}
	return &jsonHandler{slog.NewJSONHandler(line, options), line, new(sync.Mutex), out}
}

// zapAttr expresses an attribute as zap does: levels in small letters, times with milliseconds, lengths
// of time in seconds.
func zapAttr(groups []string, a slog.Attr) slog.Attr {
	switch {
	case len(groups) == 0 && a.Key == slog.LevelKey && a.Value.Kind() == slog.KindAny:
		if level, ok := a.Value.Any().(slog.Level); ok {
			a.Value = slog.StringValue(strings.ToLower(level.String()))
		}
	case a.Value.Kind() == slog.KindTime:
		a.Value = slog.StringValue(a.Value.Time().Format(logTime))
	case a.Value.Kind() == slog.KindDuration:
		a.Value = slog.Float64Value(a.Value.Duration().Seconds())
	}
	return a
}

// Handle implements [slog.Handler]. zap writes the time after the level, which comes first where slog
// knows no time.
func (h *jsonHandler) Handle(ctx context.Context, r slog.Record) error {
	at := r.Time
	r.Time = time.Time{}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.line.Reset()
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	level, rest, _ := strings.Cut(h.line.String(), ",")
	_, err := io.WriteString(h.out, level+`,"time":"`+at.Format(logTime)+`",`+rest)
	return err
}

// WithAttrs implements [slog.Handler].
func (h *jsonHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &jsonHandler{h.Handler.WithAttrs(attrs), h.line, h.mu, h.out}
}

// WithGroup implements [slog.Handler].
func (h *jsonHandler) WithGroup(name string) slog.Handler {
	return &jsonHandler{h.Handler.WithGroup(name), h.line, h.mu, h.out}
}
