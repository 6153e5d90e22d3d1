package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/journal"
)

// logSamples sends one record of each kind that matters through a logger, at
// a fixed time.
func logSamples(t *testing.T, log *slog.Logger) {
	t.Helper()
	at := time.Date(2026, 8, 1, 12, 0, 0, 123456789, time.UTC)
	emit := func(log *slog.Logger, level slog.Level, message string, attrs ...any) {
		if !log.Enabled(context.Background(), level) {
			return
		}
		record := slog.NewRecord(at, level, message, 0)
		record.Add(attrs...)
		if err := log.Handler().Handle(context.Background(), record); err != nil {
			t.Error(err)
		}
	}
	source := log.With("source", "hwrng")
	emit(log, slog.LevelDebug, "read", "bytes", 2500)
	emit(source, slog.LevelInfo, "source is active", "name", "tpm-rng-0", "claim", 4.5, "after", 1500*time.Millisecond)
	emit(source, slog.LevelWarn, "block failed", "reason", "long run", "block", uint64(7), "at", at, "ok", false)
	emit(source.WithGroup("kernel").With("poolsize", 256), slog.LevelError, "cannot credit",
		"error", errors.New("ioctl RNDADDENTROPY: operation not permitted"), slog.Group("caps", "sys_admin", false))
	emit(log, slog.LevelInfo, "hostile\nmessage \x1b[31m", "rng", "a\nb", "empty", "", "equals", "a=b", "quote", `a"b`,
		"bad\nkey x", 1, "bytes", []string{"a", "b c"}, "nothing", nil)
	emit(source, slog.LevelInfo, "bare")
}

func TestLogFormats(t *testing.T) {
	for _, format := range []string{"console", "json"} {
		t.Run(format, func(t *testing.T) {
			var out bytes.Buffer
			log, _ := newLogger(logOptions{format: format, level: slog.LevelDebug, out: &out})
			logSamples(t, log)
			if lines := strings.Count(out.String(), "\n"); lines != 6 {
				t.Errorf("%d lines for 6 messages", lines)
			}
			golden(t, "log/"+format+".txt", out.String())
		})
	}
}

func TestLogJSON(t *testing.T) {
	var out bytes.Buffer
	log, _ := newLogger(logOptions{format: "json", level: slog.LevelDebug, out: &out})
	logSamples(t, log)
	for line := range strings.Lines(out.String()) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Level == "" || entry.Msg == "" {
			t.Errorf("%v in %q", err, line)
		}
	}
}

func TestLogColor(t *testing.T) {
	var out bytes.Buffer
	log, _ := newLogger(logOptions{format: "console", level: slog.LevelInfo, out: &out, color: true})
	log.Error("x")
	log.Info("y")
	if text := out.String(); !strings.Contains(text, " \x1b[31mERROR\x1b[0m x\n") || !strings.Contains(text, " INFO  y\n") {
		t.Errorf("got %q", text)
	}
}

// TestJournal looks at what is sent, and at what happens where there is nobody
// to send it to.
func TestJournal(t *testing.T) {
	var sent strings.Builder
	send := func(message string, priority journal.Priority, fields map[string]string) error {
		sent.WriteString("<" + string('0'+rune(priority)) + "> " + message + "\n")
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			sent.WriteString("    " + name + "=" + strings.ReplaceAll(fields[name], "\n", "⏎") + "\n")
		}
		return nil
	}
	var out bytes.Buffer
	log, _ := newLogger(logOptions{format: "journal", level: slog.LevelDebug, out: &out, send: send})
	logSamples(t, log)
	golden(t, "log/journal.txt", sent.String())
	if out.Len() > 0 {
		t.Errorf("also on standard error: %q", out.String())
	}

	absent := func(string, journal.Priority, map[string]string) error { return errors.New("no socket") }
	log, _ = newLogger(logOptions{format: "journal", level: slog.LevelDebug, out: &out, send: absent})
	logSamples(t, log)
	golden(t, "log/journal-absent.txt", out.String())
}

// TestProcd: what is no trouble goes to one stream, the rest to the other, and no line has a time.
func TestProcd(t *testing.T) {
	var calm, trouble bytes.Buffer
	log, _ := newLogger(logOptions{format: "procd", level: slog.LevelDebug, out: &trouble, calm: &calm, color: true})
	logSamples(t, log)
	golden(t, "log/procd-stdout.txt", calm.String())
	golden(t, "log/procd-stderr.txt", trouble.String())
}

func TestJournalName(t *testing.T) {
	for key, want := range map[string]string{
		"source": "HWRNGD_SOURCE", "kernel.pool-size": "HWRNGD_KERNEL_POOL_SIZE", "größe": "HWRNGD_GR__E",
		strings.Repeat("x", 100): "HWRNGD_" + strings.Repeat("X", 57),
	} {
		if got := journalName(key); got != want {
			t.Errorf("%q gives %q, want %q", key, got, want)
		}
	}
}

func TestLogLevelSwitch(t *testing.T) {
	for _, format := range []string{"console", "json", "journal", "procd"} {
		t.Run(format, func(t *testing.T) {
			var out bytes.Buffer
			counts := map[slog.Level]int{}
			log, level := newLogger(logOptions{
				format: format, level: slog.LevelWarn, out: &out, calm: &out,
				count: func(l slog.Level) { counts[l]++ },
				send: func(message string, _ journal.Priority, _ map[string]string) error {
					out.WriteString(message + "\n")
					return nil
				},
			})
			derived := log.With("source", "hwrng") // made before the switch, as sources do
			for _, now := range logLevels {
				level.Set(now)
				for _, l := range logLevels {
					derived.Log(context.Background(), l, "message")
				}
				derived.Log(context.Background(), slog.LevelError+4, "above all")
			}
			want := map[slog.Level]int{slog.LevelDebug: 1, slog.LevelInfo: 2, slog.LevelWarn: 3, slog.LevelError: 8}
			if !maps.Equal(counts, want) || strings.Count(out.String(), "\n") != 14 {
				t.Errorf("counted %v, want %v; wrote\n%s", counts, want, out.String())
			}
			if strings.Contains(out.String(), "goroutine") || strings.Contains(out.String(), ".go:") {
				t.Errorf("a stack trace:\n%s", out.String())
			}
		})
	}
}

// TestLogFormatAuto: without a journal on standard error, and not started by procd, it is the console.
func TestLogFormatAuto(t *testing.T) {
	t.Setenv("JOURNAL_STREAM", "1:1")
	var out bytes.Buffer
	inv := &Invocation{Stderr: &out}
	for _, test := range []struct{ parent, flag, want string }{
		{"", "auto", "console"},
		{"sh", "auto", "console"},
		{"procd", "auto", "procd"},
		{"ujail", "auto", "procd"},
		{"procd", "json", "json"},
		{"", "procd", "procd"},
	} {
		proc := t.TempDir()
		if test.parent != "" {
			plant(t, proc, map[string]string{strconv.Itoa(os.Getppid()) + "/comm": test.parent + "\n"})
		}
		cfg := mustLoad(t, input(os.DevNull, nil, map[string][]string{"procfs": {proc}, "log-format": {test.flag}}))
		if got := inv.logFormat(cfg); got != test.want {
			t.Errorf("started by %q with %s: %s, want %s", test.parent, test.flag, got, test.want)
		}
	}
	log, _ := inv.NewLogger("console", slog.LevelInfo, nil)
	log.Info("hello", "a", 1)
	if !strings.HasSuffix(out.String(), " INFO  hello a=1\n") {
		t.Errorf("got %q", out.String())
	}
}
