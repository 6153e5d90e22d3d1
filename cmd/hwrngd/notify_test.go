package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// newTestManager returns a manager with its log.
func newTestManager() (*manager, *metricstest.Recorder, *sourcetest.Log) {
	rec := &metricstest.Recorder{}
	log, logger := sourcetest.NewLog()
	return newManager(rec, logger), rec, log
}

func TestManagerTexts(t *testing.T) {
	s := newServiceManager(t)
	m, _, log := newTestManager()
	before := linux.Monotonic().Microseconds()
	for _, step := range []struct {
		do   func()
		want []string
	}{
		{func() { m.tell("one", false) }, []string{"STATUS=one"}},
		{func() { m.tell("one", false) }, nil},
		{func() { m.reloading(); m.reloaded() }, nil}, // READY=1 would be a lie
		{func() { m.tell("one", true) }, []string{"READY=1"}},
		{func() { m.tell("one", true) }, nil},
		{func() { m.tell("two", true) }, []string{"STATUS=two"}},
		{func() { m.tell("three", false) }, []string{"STATUS=three"}},
		{m.ping, []string{"WATCHDOG=1"}},
		{func() { m.reloading(); m.reloaded() }, []string{"RELOADING=1\nMONOTONIC_USEC=", "READY=1"}},
		{func() { m.stopping("no source") }, []string{"STOPPING=1\nSTATUS=no source"}},
	} {
		step.do()
		got := s.messages()
		for i, text := range got {
			// systemd compares the time of a reload with its own clock.
			if head, usec, ok := strings.Cut(text, "MONOTONIC_USEC="); ok {
				at, err := strconv.ParseInt(usec, 10, 64)
				if err != nil || at < before || at > linux.Monotonic().Microseconds() {
					t.Errorf("time of the reload %q: %v", usec, err)
				}
				got[i] = head + "MONOTONIC_USEC="
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
	m, _, _ = newTestManager()
	if m.tell("one", true); !slices.Equal(s.messages(), []string{"STATUS=one\nREADY=1"}) {
		t.Error("status and readiness of a start should come together")
	}
	if lines := log.Lines(slog.LevelDebug, ""); lines != nil {
		t.Errorf("logged %q", lines)
	}
}

// TestManagerUnreachable: without a service manager, or with a dead one, nothing is said above debug.
func TestManagerUnreachable(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	m, _, log := newTestManager()
	m.tell("one", true)
	m.stopping("x")
	if lines := log.Lines(slog.LevelDebug, ""); lines != nil {
		t.Errorf("without a service manager: logged %q", lines)
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "gone"))
	m.tell("two", true)
	if log.Lines(slog.LevelDebug, "service manager not reached") == nil || log.Lines(slog.LevelInfo, "") != nil {
		t.Errorf("logged %q", log.Lines(slog.LevelDebug, ""))
	}
}

// TestManagerHangs: a service manager that reads no more, so that its queue is full, costs a little
// time a message and no more.
func TestManagerHangs(t *testing.T) {
	newServiceManager(t)
	m, _, log := newTestManager()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for log.Lines(slog.LevelDebug, "service manager not reached") == nil {
			m.ping()
		}
	}()
	select {
	case <-done:
	case <-time.After(kit.Patience):
		t.Fatal("hangs with the service manager")
	}
	if lines := log.Lines(slog.LevelDebug, "i/o timeout"); len(lines) != 1 {
		t.Errorf("logged %q", log.Lines(slog.LevelDebug, ""))
	}
}

func TestWatchdogEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name, usec, pid string
		want            time.Duration
		warns           bool
	}{
		{"none", "", "", 0, false},
		{"set", "4000000", "", 4 * time.Second, false},
		{"for us", "4000000", strconv.Itoa(os.Getpid()), 4 * time.Second, false},
		{"for another process", "4000000", "1", 0, false},
		{"garbage", "soon", "", 0, true},
		{"with unit", "4s", "", 0, true},
		{"negative", "-1", "", 0, true},
		{"zero", "0", "", 0, true},
		{"too large", "99999999999999999999", "", 0, true},
		{"overflows", "9223372036854775807", "", 0, strconv.IntSize == 32}, // the library reads an int
		{"garbage for a process", "4000000", "me", 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("WATCHDOG_USEC", tt.usec)
			t.Setenv("WATCHDOG_PID", tt.pid)
			m, rec, log := newTestManager()
			if m.watchdog != tt.want || rec.Count("WatchdogTimeout "+tt.want.String()) != 1 {
				t.Errorf("timeout %s, recorded %q", m.watchdog, rec.Calls())
			}
			if lines := log.Lines(slog.LevelWarn, "watchdog is off"); (len(lines) == 1) != tt.warns {
				t.Errorf("logged %q", lines)
			}
		})
	}
}
