package main

import (
	"fmt"
	"strings"

	"github.com/coreos/go-systemd/v22/journal"
	"go.uber.org/zap/zapcore"
)

// sendFunc is journal.Send, or a test's own.
type sendFunc func(message string, priority journal.Priority, fields map[string]string) error

// journalCore sends messages to the systemd journal. The attributes are part
// of the message, so that it says everything by itself, and fields besides, so
// that `journalctl HWRNGD_SOURCE=hwrng` finds them. The journal adds the time.
type journalCore struct {
	zapcore.LevelEnabler
	send     sendFunc
	fallback zapcore.WriteSyncer
	context  logFields
}

// With implements zapcore.Core.
func (c *journalCore) With(fields []zapcore.Field) zapcore.Core {
	clone := *c
	clone.context = c.context.with(fields)
	return &clone
}

// Check implements zapcore.Core.
func (c *journalCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write implements zapcore.Core. Where the journal's socket is not to be had
// (a container, an early boot stage) the line goes to standard error with the
// priority in front, as sd-daemon(3) defines it.
func (c *journalCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	all := c.context.with(fields)
	message, priority := all.line(entry.Message), journalPriority(entry.Level)
	vars := map[string]string{"SYSLOG_IDENTIFIER": "hwrngd"}
	for _, field := range all.fields {
		vars[journalName(field.key)] = field.value
	}
	if c.send(message, priority, vars) == nil {
		return nil
	}
	_, err := fmt.Fprintf(c.fallback, "<%d>%s\n", priority, message)
	return err
}

// Sync implements zapcore.Core.
func (c *journalCore) Sync() error { return c.fallback.Sync() }

func journalPriority(level zapcore.Level) journal.Priority {
	switch {
	case level >= zapcore.ErrorLevel:
		return journal.PriErr
	case level == zapcore.WarnLevel:
		return journal.PriWarning
	case level == zapcore.InfoLevel:
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
