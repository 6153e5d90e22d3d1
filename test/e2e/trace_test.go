package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/hwrngd/hwrngd/test/kit"
)

// trace is a daemon's file of strace.
type trace struct{ kit.Trace }

// underStrace makes the next start run under strace. The daemon stays the test's own child
// (-D), so that signals and exit codes are its own; it goes on when strace is ended (-I).
func (b *bench) underStrace(options ...string) *trace {
	b.t.Helper()
	kit.NeedTool(b.t, "strace")
	tr := &trace{kit.Trace{T: b.t, Path: filepath.Join(b.dir, "strace")}}
	b.strace = append(append([]string{"-D", "-I", "waiting", "-o", tr.Path}, kit.StraceOptions...), options...)
	return tr
}

// attach begins to trace a daemon that runs.
func (d *daemon) attach(options ...string) *trace {
	d.t.Helper()
	kit.NeedTool(d.t, "strace")
	tr := &trace{kit.Trace{T: d.t, Path: filepath.Join(d.bench.dir, "strace-attached")}}
	args := append(append([]string{"-o", tr.Path, "-p", strconv.Itoa(d.pid())}, kit.StraceOptions...), options...)
	cmd := exec.Command("strace", args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	kit.Eventually(d.t, "strace has attached to every thread", func() bool {
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

// waitSeeds waits until at least n calls offered data and returns all of them.
func (tr *trace) waitSeeds(n int) []kit.Seed {
	tr.T.Helper()
	var all []kit.Seed
	kit.Eventually(tr.T, fmt.Sprintf("%d RNDADDENTROPY calls", n), func() bool {
		all = tr.Seeds()
		return len(all) >= n
	})
	return all
}

// inARow returns the longest series of calls with that fault. Since strace counts for each thread
// by itself, and the reader may move from one to another, a single fault can become several. Three
// failures in a row mean that a source is out of order, which is not what such a case is about.
func (tr *trace) inARow() (longest int) {
	series := 0
	for _, c := range tr.Calls() {
		if series++; !strings.Contains(c.Text, "INJECTED") {
			series = 0
		}
		longest = max(longest, series)
	}
	return longest
}

// injected counts the calls with that fault.
func (tr *trace) injected() int { return len(tr.Calls("INJECTED")) + len(tr.Calls("DELAYED")) }
