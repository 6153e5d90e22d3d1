package main

import (
	"io"
	"log/slog"
)

// procdWriter writes lines for OpenWrt's procd. That passes standard output to the system log at level
// info and standard error at level err, and the log adds the time. Where this does not tell the level,
// it comes first:
//
//	source is active source=hwrng name=tpm-rng-0
//	WARN block failed source=hwrng
type procdWriter struct {
	calm, trouble io.Writer
}

func (w *procdWriter) write(r slog.Record, fields logFields) error {
	line := fields.line(r.Message) + "\n"
	if r.Level != slog.LevelInfo {
		line = r.Level.String() + " " + line
	}
	out := w.calm
	if r.Level >= slog.LevelWarn {
		out = w.trouble
	}
	_, err := io.WriteString(out, line)
	return err
}
