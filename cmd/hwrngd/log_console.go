package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
)

// consoleCore writes a line for people:
//
//	2026-08-01T12:00:00.123Z INFO  source is active source=hwrng name=tpm-rng-0
//
// The time stays even where a log daemon adds its own: what is logged before
// that daemon runs, at boot, is otherwise hard to place.
type consoleCore struct {
	zapcore.LevelEnabler
	out     zapcore.WriteSyncer
	color   bool
	context logFields
}

// With implements zapcore.Core.
func (c *consoleCore) With(fields []zapcore.Field) zapcore.Core {
	clone := *c
	clone.context = c.context.with(fields)
	return &clone
}

// Check implements zapcore.Core.
func (c *consoleCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write implements zapcore.Core.
func (c *consoleCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	level := fmt.Sprintf("%-5s", entry.Level.CapitalString())
	if style := levelStyles[entry.Level]; c.color && style != "" {
		level = colored(level, style)
	}
	line := entry.Time.Format(logTime) + " " + level + " " + c.context.with(fields).line(entry.Message) + "\n"
	_, err := c.out.Write([]byte(line))
	return err
}

// Sync implements zapcore.Core.
func (c *consoleCore) Sync() error { return c.out.Sync() }

var levelStyles = map[zapcore.Level]string{
	zapcore.DebugLevel: styleDim,
	zapcore.WarnLevel:  styleYellow,
	zapcore.ErrorLevel: styleRed,
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

// flatten adds the values of a field; those of a group get its name in front.
func (f *logFields) flatten(prefix string, values map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if group, ok := values[key].(map[string]any); ok {
			f.flatten(prefix+key+".", group)
			continue
		}
		f.fields = append(f.fields, logField{prefix + key, valueText(values[key])})
	}
}

// valueText writes a value as people write it.
func valueText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case time.Time:
		return v.Format(logTime)
	case time.Duration:
		return v.String()
	}
	return fmt.Sprint(value)
}
