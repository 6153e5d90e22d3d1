package main

import (
	"io"
	"log/slog"
	"math"

	"github.com/coreos/go-systemd/v22/journal"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// Logging: the program logs through log/slog, zap's core writes. No package
// but this one sees zap.

// NewLogger returns the logger that the configuration asks for, writing to
// standard error, and a handle on its level for a reload. count, which may be
// nil, is called for each message written.
func (inv *Invocation) NewLogger(cfg *Config, count func(slog.Level)) (*slog.Logger, *slog.LevelVar) {
	format := cfg.LogFormat
	if format == "auto" {
		format = "console"
		// An error means that JOURNAL_STREAM is garbage; standard error works in any case.
		if toJournal, err := journal.StderrIsJournalStream(); err == nil && toJournal {
			format = "journal"
		}
	}
	return newLogger(logOptions{
		format: format,
		level:  cfg.LogLevel,
		out:    inv.Stderr,
		color:  useColor(inv.Stderr, inv.Environ),
		send:   journal.Send,
		count:  count,
	})
}

// logOptions is what a logger is made from.
type logOptions struct {
	format string // "console", "json" or "journal"
	level  slog.Level
	out    io.Writer
	color  bool
	send   sendFunc
	count  func(slog.Level)
}

func newLogger(o logOptions) (*slog.Logger, *slog.LevelVar) {
	level := new(slog.LevelVar)
	level.Set(o.level)
	out := zapcore.Lock(zapcore.AddSync(o.out))
	var core zapcore.Core
	switch o.format {
	case "json":
		core = zapcore.NewCore(zapcore.NewJSONEncoder(jsonFormat), out, levelSwitch{level})
	case "journal":
		core = &journalCore{LevelEnabler: levelSwitch{level}, send: o.send, fallback: out}
	default:
		core = &consoleCore{LevelEnabler: levelSwitch{level}, out: out, color: o.color}
	}
	if o.count != nil {
		core = zapcore.RegisterHooks(core, func(e zapcore.Entry) error {
			o.count(slogLevel(e.Level))
			return nil
		})
	}
	// zapslog adds a stack trace to every error unless told otherwise. Ours
	// are about devices and files, where it says nothing.
	handler := zapslog.NewHandler(core, zapslog.AddStacktraceAt(slog.Level(math.MaxInt)))
	return slog.New(handler), level
}

// jsonFormat has the keys of slog's own JSON handler.
var jsonFormat = zapcore.EncoderConfig{
	TimeKey:        slog.TimeKey,
	LevelKey:       slog.LevelKey,
	MessageKey:     slog.MessageKey,
	LineEnding:     zapcore.DefaultLineEnding,
	EncodeTime:     zapcore.TimeEncoderOfLayout(logTime),
	EncodeLevel:    zapcore.LowercaseLevelEncoder,
	EncodeDuration: zapcore.SecondsDurationEncoder,
}

// logTime is RFC 3339 with milliseconds.
const logTime = "2006-01-02T15:04:05.000Z07:00"

// levelSwitch lets a slog level decide for zap.
type levelSwitch struct{ level *slog.LevelVar }

// Enabled implements zapcore.LevelEnabler.
func (s levelSwitch) Enabled(l zapcore.Level) bool { return slogLevel(l) >= s.level.Level() }

// slogLevel is the reverse of the mapping in zapslog.
func slogLevel(l zapcore.Level) slog.Level {
	switch {
	case l >= zapcore.ErrorLevel:
		return slog.LevelError
	case l == zapcore.WarnLevel:
		return slog.LevelWarn
	case l == zapcore.InfoLevel:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// logField is an attribute as text.
type logField struct{ key, value string }

// logFields are the attributes that a core carries along, in their order.
type logFields struct {
	fields []logField
	prefix string // of the open groups, each with a dot
}

// with returns the attributes with more of them added. The receiver keeps its own.
func (f logFields) with(added []zapcore.Field) logFields {
	out := logFields{append([]logField(nil), f.fields...), f.prefix}
	for _, field := range added {
		if field.Type == zapcore.NamespaceType {
			out.prefix += field.Key + "."
			continue
		}
		encoder := zapcore.NewMapObjectEncoder()
		field.AddTo(encoder)
		out.flatten(out.prefix, encoder.Fields)
	}
	return out
}
