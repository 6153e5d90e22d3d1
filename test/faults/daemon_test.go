package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// daemon is a program that runs on a bench.
type daemon struct {
	t      testing.TB
	bench  *bench
	cmd    *exec.Cmd
	begun  time.Time
	ended  time.Time     // once exited is closed
	exited chan struct{} // closed when it has ended
	code   int           // once exited is closed
}

// stopLimit is the time from SIGTERM to the end in any state.
const stopLimit = time.Second

// start runs the program. Output and log go to one file: it never waits for its test.
func (b *bench) start(args ...string) *daemon {
	b.t.Helper()
	log, err := os.OpenFile(b.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		b.t.Fatal(err)
	}
	defer log.Close()
	d := &daemon{t: b.t, bench: b, cmd: b.command(args...), exited: make(chan struct{}), code: -1}
	d.cmd.Stdout, d.cmd.Stderr = log, log
	d.begun = time.Now()
	if err := d.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go func() {
		_ = d.cmd.Wait()
		d.ended = time.Now()
		d.code = d.cmd.ProcessState.ExitCode()
		close(d.exited)
	}()
	b.t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		<-d.exited
		if b.t.Failed() {
			b.t.Logf("log of the daemon:\n%s", d.text())
		}
	})
	return d
}

func (d *daemon) running() bool {
	select {
	case <-d.exited:
		return false
	default:
		return true
	}
}

// exit returns the exit code, -1 while the program runs.
func (d *daemon) exit() int {
	if d.running() {
		return -1
	}
	return d.code
}

// stop ends the daemon by SIGTERM and returns how long that took.
func (d *daemon) stop() time.Duration {
	d.t.Helper()
	if !d.running() {
		d.t.Fatalf("it ended by itself, with exit code %d", d.code)
	}
	begin := time.Now()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
	select {
	case <-d.exited:
	case <-time.After(10 * stopLimit):
		d.t.Fatalf("still runs %s after SIGTERM", 10*stopLimit)
	}
	took := d.ended.Sub(begin)
	if took >= stopLimit {
		d.t.Errorf("%s from SIGTERM to the end, the limit is %s", took.Round(time.Millisecond), stopLimit)
	}
	if d.code != 0 {
		d.t.Errorf("exit code %d after SIGTERM, want 0", d.code)
	}
	return took
}

// text returns the log so far.
func (d *daemon) text() string {
	return kit.ReadFile(d.t, d.bench.log())
}

// logLine is a line of the log.
type logLine struct {
	at    time.Time
	level string
	text  string // the whole line
}

// lines returns the lines of the log that have one of the levels, parted by commas or "any", and hold
// all the texts.
func (d *daemon) lines(levels string, texts ...string) (found []logLine) {
	for line := range strings.Lines(d.text()) {
		line = strings.TrimSpace(line)
		// 2026-08-01T12:00:00.123Z INFO  message key=value
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, fields[0])
		if err != nil {
			continue
		}
		if levels != "any" && !slices.Contains(strings.Split(levels, ","), fields[1]) {
			continue
		}
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
			found = append(found, logLine{at, fields[1], line})
		}
	}
	return found
}

// cpuTime returns the CPU time of the program, which has ended, in all its threads.
func (d *daemon) cpuTime() time.Duration {
	return d.cmd.ProcessState.UserTime() + d.cmd.ProcessState.SystemTime()
}

// descriptors returns how many files the daemon has open.
func (d *daemon) descriptors() int {
	entries, _ := os.ReadDir(filepath.Join("/proc", strconv.Itoa(d.cmd.Process.Pid), "fd"))
	return len(entries)
}

// resident returns the memory in use, in bytes.
func (d *daemon) resident() int {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(d.cmd.Process.Pid), "status"))
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return kb << 10
		}
	}
	return 0
}
