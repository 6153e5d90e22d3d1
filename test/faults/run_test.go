package faults

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// run is a case that is being carried out.
type run struct {
	t       testing.TB
	c       *script.Case
	bench   *bench
	tape    *tape
	channel channel
	lines   []script.Action // of the trace
	trace   *kit.Trace      // nil: none
	manager *kit.Manager    // nil: none

	d      *daemon
	daemon bool // d is hwrngd run
	files  int  // descriptors of the daemon after the first check, 0 before
	report *report
}

// defaultCPU is the share of a core that a daemon may take, but for short runs, of which the start is the
// greater part.
const (
	defaultCPU = 0.03
	shortRun   = 5 * time.Second
)

// carryOut plays a case from its first line to the end of the program.
func carryOut(t testing.TB, c *script.Case, rep *report) {
	b := newBench(t)
	r := &run{t: t, c: c, bench: b, tape: newTape(), report: rep}
	r.channel = newChannel(t, c, r.tape, filepath.Join(b.dir, "dev"))
	for _, s := range c.Steps {
		r.step(s)
		if t.Failed() {
			return
		}
	}
	r.finish()
}

func (r *run) step(s script.Step) {
	r.t.Helper()
	var err error
	switch a := s.Action.(type) {
	case script.Feed, script.Silence, script.Fail, script.Await, script.Fault:
		r.tape.add(a)
	case script.Plug:
		path := r.bench.device
		if a.As != "" {
			path = filepath.Join(filepath.Dir(path), a.As)
		}
		err = r.channel.plug(path)
	case script.Unplug:
		r.tape.faultNow()
		err = r.channel.unplug()
	case script.SetFile:
		r.bench.set(a.Tree, a.Path, r.withDevice(a.Text))
	case script.Sink:
		r.bench.setSink(a.Path)
	case script.Without:
		r.bench.drop = true
	case script.Notify:
		r.manager = r.bench.notify(a.Watchdog)
	case script.Trace, script.Inject:
		r.lines = append(r.lines, a)
	case script.Start:
		r.begin("run", a.Options...)
		r.daemon = true
	case script.Run:
		r.begin(a.Args[0], a.Args[1:]...)
	case script.Reload:
		err = r.d.cmd.Process.Signal(syscall.SIGHUP)
	case script.Stop:
		r.close()
	case script.Wait:
		time.Sleep(a.For)
	case script.Check:
		r.check(s, a)
	default:
		err = errors.New("not known here")
	}
	if err != nil {
		r.t.Fatalf("line %d: %s: %v", s.Line, s.Text, err)
	}
}

func (r *run) begin(command string, options ...string) {
	r.trace = r.bench.traced(r.lines)
	if r.c.Channel == "fuse" {
		options = append(options, "--allow-file-source")
	}
	args := []string{command}
	for _, o := range options {
		args = append(args, r.withDevice(o))
	}
	r.d = r.bench.start(args...)
}

// withDevice puts the path of the device into a text.
func (r *run) withDevice(text string) string {
	return strings.ReplaceAll(text, "DEVICE", r.bench.device)
}

// check looks at a condition once, until it holds, or as long as it has to hold.
func (r *run) check(s script.Step, c script.Check) {
	r.t.Helper()
	start := r.baseline(c.Condition)
	deadline := time.Now().Add(c.For)
	for {
		ok, now := r.holds(c.Condition, start)
		late := !time.Now().Before(deadline)
		if r.t.Failed() {
			return
		}
		switch {
		case ok && c.When != "for", ok && late:
			if r.files == 0 && r.daemon {
				r.files = r.d.descriptors()
			}
			return
		case !ok && (c.When != "within" || late):
			r.t.Fatalf("line %d: %s: it is %s", s.Line, s.Text, now)
		}
		time.Sleep(pollPause(c.Condition.Quantity))
	}
}

// finish checks what holds for every case.
func (r *run) finish() {
	switch {
	case !r.daemon:
		kit.Eventually(r.t, "the command ends", func() bool { return !r.d.running() })
	case r.d.running():
		r.close()
	case r.report.stopped == 0 && !r.expectsExit():
		r.t.Errorf("it ended by itself, with exit code %d", r.d.exit())
	}
	r.report.wall, r.report.cpu = r.d.ended.Sub(r.d.begun), r.d.cpuTime()
	limit := r.c.CPU
	if limit == 0 {
		limit = defaultCPU
	}
	if share := r.report.share(); r.daemon && r.report.wall >= shortRun && share > limit {
		r.t.Errorf("%.1f %% of a core (%s in %s), the limit is %.1f %%", 100*share,
			r.report.cpu.Round(time.Millisecond), r.report.wall.Round(time.Millisecond), 100*limit)
	}
}

// expectsExit tells whether the case looks at the exit code.
func (r *run) expectsExit() bool {
	return slices.ContainsFunc(r.c.Steps, func(s script.Step) bool {
		c, ok := s.Action.(script.Check)
		return ok && c.Condition.Quantity == "exit"
	})
}

// spareFiles is how many descriptors may be open more than after the first check: the device, and what
// a scrape under way takes.
const spareFiles = 3

// close ends the daemon, after a last look at its books.
func (r *run) close() {
	r.t.Helper()
	r.balance()
	r.figures()
	if r.files > 0 { // timers and answers to the test are files, too: they come and go
		kit.Eventually(r.t, "no more files open than after the first check", func() bool {
			return r.d.descriptors() <= r.files+spareFiles
		})
	}
	r.report.stopped = r.d.stop()
}
