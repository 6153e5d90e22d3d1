package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// daemon is a running hwrngd.
type daemon struct {
	t       testing.TB
	bench   *bench
	cmd     *exec.Cmd
	logFile string
	exited  chan struct{}
	code    int // once exited is closed
}

// start starts the daemon with the bench's arguments and these. It ends with the case.
func (b *bench) start(args ...string) *daemon {
	b.t.Helper()
	d := &daemon{t: b.t, bench: b, logFile: filepath.Join(b.dir, "log"), exited: make(chan struct{})}
	// A file, not a pipe: the daemon must never wait for its test, nor the test for strace, which
	// holds the other end.
	log, err := os.Create(d.logFile)
	if err != nil {
		b.t.Fatal(err)
	}
	defer log.Close()
	d.cmd = b.command(context.Background(), slices.Concat([]string{"run"}, b.arguments("metrics"), args)...)
	d.cmd.Stderr = cmp.Or(b.stderr, log)
	if err := d.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go func() {
		_ = d.cmd.Wait()
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

func (d *daemon) pid() int { return d.cmd.Process.Pid }

func (d *daemon) alive() bool {
	select {
	case <-d.exited:
		return false
	default:
		return true
	}
}

// wait waits for the end and returns the exit code.
func (d *daemon) wait(limit time.Duration) int {
	d.t.Helper()
	select {
	case <-d.exited:
	case <-time.After(limit):
		d.t.Fatalf("still runs after %s", limit)
	}
	return d.code
}

func (d *daemon) signal(sig syscall.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(sig); err != nil {
		d.t.Fatal(err)
	}
}

// stop ends the daemon with SIGTERM and returns how long that took. Any exit code but 0 fails
// the case.
func (d *daemon) stop() time.Duration {
	d.t.Helper()
	begin := time.Now()
	d.signal(syscall.SIGTERM)
	if code := d.wait(5 * stopLimit); code != 0 {
		d.t.Errorf("exit code %d after SIGTERM, want 0", code)
	}
	return time.Since(begin)
}

// text returns the log so far.
func (d *daemon) text() string {
	return kit.ReadFile(d.t, d.logFile)
}

// lines returns the lines of the log that have one of these levels and hold all the parts.
// No levels mean all.
func (d *daemon) lines(levels string, parts ...string) []string {
	var found []string
	for line := range strings.Lines(d.text()) {
		// 2026-08-01T12:00:00.123Z INFO  message key=value
		fields := strings.Fields(line)
		if len(fields) < 2 || levels != "" && !slices.Contains(strings.Fields(levels), fields[1]) {
			continue
		}
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// logged waits for a line that holds all the parts.
func (d *daemon) logged(parts ...string) {
	d.t.Helper()
	kit.Eventually(d.t, "a log line with "+strings.Join(parts, ", "), func() bool { return len(d.lines("", parts...)) > 0 })
}

// atMost fails the case if more than n lines of these levels were logged.
func (d *daemon) atMost(n int, levels string, parts ...string) {
	d.t.Helper()
	if lines := d.lines(levels, parts...); len(lines) > n {
		d.t.Errorf("%d lines %s, want at most %d:\n%s", len(lines), levels, n, strings.Join(lines, "\n"))
	}
}

// status is what the status socket answers, as far as the cases look at it.
type status struct {
	PID     int  `json:"pid"`
	Monitor bool `json:"monitor"`
	Feeding struct {
		CanCredit bool              `json:"can_credit"`
		CRNGReady bool              `json:"crng_ready"`
		Bits      map[string]uint64 `json:"credited_bits"`
		Bytes     map[string]uint64 `json:"added_bytes"`
		LastError string            `json:"last_error"`
		PoolBits  int               `json:"kernel_pool_size_bits"`
	} `json:"feeding"`
	Sources []sourceStatus `json:"sources"`
}

type sourceStatus struct {
	Name        string  `json:"name"`
	Kind        string  `json:"kind"`
	Device      string  `json:"device"`
	Driver      string  `json:"driver"`
	State       string  `json:"state"`
	Reason      string  `json:"reason"`
	MinEntropy  float64 `json:"claimed_min_entropy_bits_per_byte"`
	ClaimOrigin string  `json:"claim_origin"`
	BytesRead   uint64  `json:"bytes_read"`
	ReadErrors  uint64  `json:"read_errors"`
	BlockFilled float64 `json:"block_filled"`
}

// status asks the daemon. It waits until it answers, for it may just have been started.
func (d *daemon) status() status {
	d.t.Helper()
	var s status
	kit.Eventually(d.t, "an answer on the status socket", func() bool {
		if !d.alive() {
			d.t.Fatalf("the daemon ended with code %d", d.code)
		}
		conn, err := net.DialTimeout("unix", filepath.Join(d.bench.runtime, "status.sock"), time.Second)
		if err != nil {
			return false
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		s = status{}
		return json.NewDecoder(conn).Decode(&s) == nil
	})
	return s
}

// source is the status of the only source.
func (d *daemon) source() sourceStatus {
	d.t.Helper()
	s := d.status()
	if len(s.Sources) != 1 {
		d.t.Fatalf("%d sources, want 1", len(s.Sources))
	}
	return s.Sources[0]
}

// reaches waits until the source is in a state.
func (d *daemon) reaches(state string) sourceStatus {
	d.t.Helper()
	var s sourceStatus
	kit.Eventually(d.t, "source is "+state, func() bool {
		s = d.source()
		return s.State == state
	})
	return s
}
