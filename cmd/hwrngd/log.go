package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/coreos/go-systemd/v22/journal"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
)

// Logging: the program logs through log/slog. Lines for people are written by a handler of ours, those
// for programs by what the build has for that: zap, or slog's own in the minimal build.

// logFormat returns the log format that the configuration asks for, and makes a choice for "auto".
func (inv *Invocation) logFormat(cfg *Config) string {
	if cfg.LogFormat != "auto" {
		return cfg.LogFormat
	}
	// An error means that JOURNAL_STREAM is garbage; standard error works in any case.
	if toJournal, err := journal.StderrIsJournalStream(); err == nil && toJournal {
		return "journal"
	}
	// OpenWrt's procd starts services, those in a jail by way of ujail, and passes on what they print.
	parent := linux.Procfs(cfg.Procfs).ProcessName(os.Getppid())
	if (parent == "procd" || parent == "ujail") && !isTerminal(inv.Stderr) {
		return "procd"
	}
	return "console"
}

// NewLogger returns a logger of that format, and a handle on its level for a reload. count, which may
// be nil, is called for each message written.
func (inv *Invocation) NewLogger(format string, level slog.Level, count func(slog.Level)) (*slog.Logger, *slog.LevelVar) {
	return newLogger(logOptions{
		format: format,
		level:  level,
		out:    inv.Stderr,
		calm:   inv.Stdout,
		color:  useColor(inv.Stderr, inv.Environ),
		send:   journal.Send,
		count:  count,
	})
}

// logOptions is what a logger is made from.
type logOptions struct {
	format string // "console", "json", "journal" or "procd"
	level  slog.Level
	out    io.Writer
	calm   io.Writer // where procd's format writes what is no trouble
	color  bool
	send   sendFunc
	count  func(slog.Level)
}

func newLogger(o logOptions) (*slog.Logger, *slog.LevelVar) {
	level := new(slog.LevelVar)
	level.Set(o.level)
	var handler slog.Handler
	switch o.format {
	case "json":
		handler = newJSONHandler(o.out)
	case "journal":
		handler = newTextHandler(&journalWriter{o.send, o.out})
	case "procd":
		handler = newTextHandler(&procdWriter{o.calm, o.out})
	default:
		handler = newTextHandler(&consoleWriter{o.out, o.color})
	}
	return slog.New(&levelHandler{handler, level, o.count}), level
}

// logTime is RFC 3339 with milliseconds.
const logTime = "2006-01-02T15:04:05.000Z07:00"

// levelHandler passes on what is important enough, and counts it.
type levelHandler struct {
	slog.Handler
	level *slog.LevelVar
	count func(slog.Level) // may be nil
}

// Enabled implements [slog.Handler].
func (h *levelHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.level.Level()
}

// Handle implements [slog.Handler]. Levels between those that have a name become the one below.
func (h *levelHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = logLevels[metrics.LogLevel(r.Level)]
	if h.count != nil {
		h.count(r.Level)
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h *levelHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &levelHandler{h.Handler.WithAttrs(attrs), h.level, h.count}
}

// WithGroup implements [slog.Handler].
func (h *levelHandler) WithGroup(name string) slog.Handler {
	return &levelHandler{h.Handler.WithGroup(name), h.level, h.count}
}
