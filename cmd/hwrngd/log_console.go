package main

import (
	"fmt"
	"io"
	"log/slog"
)

// consoleWriter writes a line for people:
//
//	2026-08-01T12:00:00.123Z INFO  source is active source=hwrng name=tpm-rng-0
//
// The time stays even where a log daemon adds its own: what is logged before
// that daemon runs, at boot, is otherwise hard to place.
type consoleWriter struct {
	out   io.Writer
	color bool
}

func (w *consoleWriter) write(r slog.Record, fields logFields) error {
	level := fmt.Sprintf("%-5s", r.Level)
	if style := levelStyles[r.Level]; w.color && style != "" {
		level = colored(level, style)
	}
	_, err := io.WriteString(w.out, r.Time.Format(logTime)+" "+level+" "+fields.line(r.Message)+"\n")
	return err
}

var levelStyles = map[slog.Level]string{
	slog.LevelDebug: styleDim,
	slog.LevelWarn:  styleYellow,
	slog.LevelError: styleRed,
}
