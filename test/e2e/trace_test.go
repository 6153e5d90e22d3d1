package e2e

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trace is a file that strace writes.
type trace struct {
	t    testing.TB
	path string
}

// straceOptions make strace follow every thread, print whole seeds (in hex, unlike paths), the time
// of each call and the path of each descriptor, and leave signals out. Further options say what to trace or which faults to inject; their -P keeps
// a fault off all other files. Numbers in "when=" count for each thread by itself.
var straceOptions = []string{"-f", "-qq", "-y", "-ttt", "-x", "-s", "200", "-e", "signal=none"}

// underStrace makes the next start run under strace. The daemon stays the test's own child
// (-D), so that signals and exit codes are its own; it goes on when strace is ended (-I).
func (b *bench) underStrace(options ...string) *trace {
	b.t.Helper()
	needTool(b.t, "strace")
	tr := &trace{b.t, filepath.Join(b.dir, "strace")}
	b.strace = append(append([]string{"-D", "-I", "waiting", "-o", tr.path}, straceOptions...), options...)
	return tr
}

// attach begins to trace a daemon that runs.
func (d *daemon) attach(options ...string) *trace {
	d.t.Helper()
	needTool(d.t, "strace")
	tr := &trace{d.t, filepath.Join(d.bench.dir, "strace-attached")}
	args := append(append([]string{"-o", tr.path, "-p", strconv.Itoa(d.pid())}, straceOptions...), options...)
	cmd := exec.Command("strace", args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually(d.t, patience, "strace has attached to every thread", func() bool {
		for _, task := range d.tasks() {
			if d.taskField(task, "TracerPid") == "0" {
				return false
			}
		}
		return true
	})
	return tr
}

// endTrace ends strace, and with it its faults. The daemon goes on.
func (d *daemon) endTrace() {
	d.t.Helper()
	pid, err := strconv.Atoi(d.taskField(strconv.Itoa(d.pid()), "TracerPid"))
	if err != nil || pid == 0 {
		d.t.Fatal("no strace")
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
}

// call is a system call that has ended.
type call struct {
	at   time.Duration // of its begin, since some fixed moment
	text string        // as strace prints it, with its result
}

var traceLine = regexp.MustCompile(`^(\d+) +(\d+\.\d+) (.*)$`)

// calls returns the calls so far. One that another thread's line interrupts is put together.
func (tr *trace) calls() []call {
	tr.t.Helper()
	text, err := os.ReadFile(tr.path)
	if err != nil && !os.IsNotExist(err) {
		tr.t.Fatal(err)
	}
	var all []call
	begun := map[string]call{} // by thread
	for line := range strings.Lines(string(text)) {
		whole, ok := strings.CutSuffix(line, "\n")
		m := traceLine.FindStringSubmatch(whole)
		if !ok || m == nil {
			continue // not written yet, or no call
		}
		thread, rest := m[1], m[3]
		seconds, _ := strconv.ParseFloat(m[2], 64)
		at := time.Duration(seconds * float64(time.Second))
		if start, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			begun[thread] = call{at, start}
			continue
		}
		if _, end, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(rest, "<...") {
			at, rest = begun[thread].at, begun[thread].text+end
		}
		all = append(all, call{at, rest})
	}
	return all
}

// matching returns the calls whose text holds all the parts.
func (tr *trace) matching(parts ...string) []call {
	tr.t.Helper()
	var found []call
	for _, c := range tr.calls() {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(c.text, part)
		}
		if all {
			found = append(found, c)
		}
	}
	return found
}

// addEntropy is one RNDADDENTROPY: the call that credits.
type addEntropy struct {
	at    time.Duration
	bits  int // entropy_count
	bytes int // buf_size
	data  []byte
	ok    bool
}

var addEntropyCall = regexp.MustCompile(`RNDADDENTROPY, \{entropy_count=(-?\d+), buf_size=(\d+), buf="([^"]*)"\}\) += (-?\d+)`)

// seeds returns the calls that offered data. Those without, by which the daemon asks whether it
// may credit, must not offer credit either.
func (tr *trace) seeds() []addEntropy {
	tr.t.Helper()
	var all []addEntropy
	for _, c := range tr.matching("RNDADDENTROPY") {
		m := addEntropyCall.FindStringSubmatch(c.text)
		if m == nil {
			tr.t.Fatalf("cannot read %q", c.text)
		}
		a := addEntropy{at: c.at, ok: m[4] == "0"}
		a.bits, _ = strconv.Atoi(m[1])
		a.bytes, _ = strconv.Atoi(m[2])
		a.data, _ = hex.DecodeString(strings.ReplaceAll(m[3], `\x`, ""))
		if a.bytes == 0 && a.bits != 0 {
			tr.t.Errorf("credit without data: %s", c.text)
		}
		if a.bytes > 0 {
			all = append(all, a)
		}
	}
	return all
}

// waitSeeds waits until at least n calls offered data and returns all of them.
func (tr *trace) waitSeeds(n int) []addEntropy {
	tr.t.Helper()
	var all []addEntropy
	eventually(tr.t, patience, fmt.Sprintf("%d RNDADDENTROPY calls", n), func() bool {
		all = tr.seeds()
		return len(all) >= n
	})
	return all
}

// inARow returns the longest series of calls with that fault. Since strace counts for each thread
// by itself, and the reader may move from one to another, a single fault can become several. Three
// failures in a row mean that a source is out of order, which is not what such a case is about.
func (tr *trace) inARow() (longest int) {
	series := 0
	for _, c := range tr.calls() {
		if series++; !strings.Contains(c.text, "INJECTED") {
			series = 0
		}
		longest = max(longest, series)
	}
	return longest
}

// injected counts the calls with that fault.
func (tr *trace) injected() int { return len(tr.matching("INJECTED")) + len(tr.matching("DELAYED")) }
