//go:build !minimal

package main

import (
	"io"
	"log/slog"
	"math"

	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// newJSONHandler returns a handler that writes lines for programs, by zap's encoder.
func newJSONHandler(out io.Writer) slog.Handler {
	core := zapcore.NewCore(zapcore.NewJSONEncoder(jsonFormat), zapcore.Lock(zapcore.AddSync(out)), zapcore.DebugLevel)
	// zapslog adds a stack trace to every error unless told otherwise. Ours
	// are about devices and files, where it says nothing.
	return zapslog.NewHandler(core, zapslog.AddStacktraceAt(slog.Level(math.MaxInt)))
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
