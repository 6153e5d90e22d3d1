package main

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// textHandler brings messages into the form that is common to all formats for people: one line each,
// attributes as key=value.
type textHandler struct {
	writer  lineWriter
	mu      *sync.Mutex // one line at a time
	context logFields
}

// lineWriter puts a message where its format belongs.
type lineWriter interface {
	write(r slog.Record, fields logFields) error
}

func newTextHandler(w lineWriter) *textHandler { return &textHandler{writer: w, mu: new(sync.Mutex)} }

// Enabled implements [slog.Handler].
func (h *textHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	fields := h.context.clone()
	r.Attrs(func(a slog.Attr) bool {
		fields.add(fields.prefix, a)
		return true
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.writer.write(r, fields)
}

// WithAttrs implements [slog.Handler].
func (h *textHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	context := h.context.clone()
	for _, a := range attrs {
		context.add(context.prefix, a)
	}
	return &textHandler{h.writer, h.mu, context}
}

// WithGroup implements [slog.Handler].
func (h *textHandler) WithGroup(name string) slog.Handler {
	context := h.context.clone()
	if name != "" {
		context.prefix += name + "."
	}
	return &textHandler{h.writer, h.mu, context}
}

// logField is an attribute as text.
type logField struct{ key, value string }

// logFields are attributes in their order.
type logFields struct {
	fields []logField
	prefix string // of the open groups, each with a dot
}

func (f logFields) clone() logFields { return logFields{slices.Clone(f.fields), f.prefix} }

// add adds an attribute; those of a group get its name in front.
func (f *logFields) add(prefix string, a slog.Attr) {
	value := a.Value.Resolve()
	if a.Equal(slog.Attr{}) {
		return // as handlers shall do, see slog.Handler
	}
	if value.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, member := range value.Group() {
			f.add(prefix, member)
		}
		return
	}
	f.fields = append(f.fields, logField{prefix + a.Key, valueText(value)})
}

// valueText writes a value as people write it.
func valueText(value slog.Value) string {
	if value.Kind() == slog.KindTime {
		return value.Time().Format(logTime)
	}
	return value.String()
}

// line is the message with its attributes, always on one line.
func (f logFields) line(message string) string {
	var b strings.Builder
	b.WriteString(escapeControls(message))
	for _, field := range f.fields {
		b.WriteString(" " + quoteWord(field.key) + "=" + quoteWord(field.value))
	}
	return b.String()
}

// quoteWord puts quotes around what would not read as one word.
func quoteWord(text string) string {
	if text == "" || strings.ContainsAny(text, " =\"") || strings.ContainsFunc(text, isUnsafe) {
		return strconv.Quote(text)
	}
	return text
}
