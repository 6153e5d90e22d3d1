package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/coreos/go-systemd/v22/journal"
)

// sendFunc is journal.Send, or a test's own.
type sendFunc func(message string, priority journal.Priority, fields map[string]string) error

// journalWriter sends messages to the systemd journal. The attributes are part
// of the message, so that it says everything by itself, and fields besides, so
// that `journalctl HWRNGD_SOURCE=hwrng` finds them. The journal adds the time.
type journalWriter struct {
	send     sendFunc
	fallback io.Writer
}

// Where the journal's socket is not to be had (a container, an early boot stage)
// the line goes to standard error with the priority in front, as sd-daemon(3)
// and the kernel's log define it.
func (w *journalWriter) write(r slog.Record, fields logFields) error {
	message, priority := fields.line(r.Message), journalPriority(r.Level)
	vars := map[string]string{"SYSLOG_IDENTIFIER": "hwrngd"}
	for _, field := range fields.fields {
		vars[journalName(field.key)] = field.value
	}
	if w.send(message, priority, vars) == nil {
		return nil
	}
	_, err := fmt.Fprintf(w.fallback, "<%d>hwrngd: %s\n", priority, message)
	return err
}

func journalPriority(level slog.Level) journal.Priority {
	switch level {
	case slog.LevelError:
		return journal.PriErr
	case slog.LevelWarn:
		return journal.PriWarning
	case slog.LevelInfo:
		return journal.PriInfo
	}
	return journal.PriDebug
}

// journalName makes a key into a field name that journald takes: capitals,
// digits and underscores, at most 64 of them.
func journalName(key string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, key)
	return ("HWRNGD_" + name)[:min(64, len("HWRNGD_")+len(name))]
}
