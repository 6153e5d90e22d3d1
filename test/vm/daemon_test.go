package vm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// stopLimit is the time from SIGTERM to the daemon's end in any state.
const stopLimit = time.Second

// Names of the daemon's sources.
const (
	hardware = "hwrng"
	jitter   = "jitter"
)

// daemon is hwrngd, running in a machine.
type daemon struct {
	m    *machine
	t    *testing.T
	name string // of the started program
	unit string // in its place, where systemd runs the daemon
}

// start starts the daemon.
func (m *machine) start(args ...string) *daemon {
	m.t.Helper()
	return m.startUnder(nil, args...)
}

// startUnder starts the daemon by another program, which takes its command line after its own.
func (m *machine) startUnder(prefix []string, args ...string) *daemon {
	m.t.Helper()
	d := &daemon{m: m, t: m.t, name: "hwrngd"}
	m.ask(wire.Request{Op: wire.Start, Name: d.name, Argv: slices.Concat(prefix, []string{daemonPath, "run"}, args)})
	d.showLog()
	return d
}

// showLog makes a case that fails show the daemon's log.
func (d *daemon) showLog() {
	d.t.Cleanup(func() {
		if !d.t.Failed() {
			return
		}
		if a, err := d.m.try(d.logRequest()); err == nil {
			d.t.Logf("log of the daemon:\n%s", a.Text)
		}
	})
}

// status asks the daemon, which may just have been started.
func (d *daemon) status() *pool.Status {
	d.t.Helper()
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		s := new(pool.Status)
		a, err := d.m.try(wire.Request{Op: wire.Socket, Path: "/run/hwrngd/status.sock"})
		if err == nil {
			err = json.Unmarshal([]byte(a.Text), s)
		}
		switch {
		case err == nil:
			return s
		case !d.running():
			d.t.Fatal("the daemon has ended")
		case time.Since(begin) > kit.Patience:
			d.t.Fatalf("no answer on the status socket within %s: %v", kit.Patience, err)
		}
	}
}

func (d *daemon) running() bool {
	d.t.Helper()
	if d.unit != "" {
		return d.m.property(d.unit, "ActiveState") == "active"
	}
	return d.m.ask(d.logRequest()).Running
}

// logRequest asks for the daemon's log.
func (d *daemon) logRequest() wire.Request {
	if d.unit != "" {
		return wire.Request{Op: wire.Run, Argv: []string{"journalctl", "--no-pager", "-q", "-b", "-o", "short-monotonic", "-u", d.unit}, Limit: kit.Patience}
	}
	return wire.Request{Op: wire.Log, Name: d.name}
}

// source is the status of one source.
func (d *daemon) source(name string) source.Snapshot {
	d.t.Helper()
	s := d.status()
	i := slices.IndexFunc(s.Sources, func(src source.Snapshot) bool { return src.Name == name })
	if i < 0 {
		d.t.Fatalf("no source %s", name)
	}
	return s.Sources[i]
}

// reaches waits until the hardware source is in a state, with this generator behind it.
func (d *daemon) reaches(driver string, state source.State) source.Snapshot {
	d.t.Helper()
	var s source.Snapshot
	begin := time.Now()
	for s = d.source(hardware); s.Driver != driver || s.State != state.String(); s = d.source(hardware) {
		if time.Since(begin) > kit.Patience {
			d.t.Fatalf("%s is %s (%s), want %s to be %s", s.Driver, s.State, s.Reason, driver, state)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return s
}

// credited is how many bits the kernel got for a source so far.
func (d *daemon) credited(source string) uint64 {
	d.t.Helper()
	return d.status().Credits.Bits[source]
}

// credits waits until a source earns credit again.
func (d *daemon) credits(source string) {
	d.t.Helper()
	before := d.credited(source)
	kit.Eventually(d.t, "credit for "+source, func() bool { return d.credited(source) > before })
}

// log returns the daemon's log so far.
func (d *daemon) log() string {
	d.t.Helper()
	return d.m.ask(d.logRequest()).Text
}

// lines returns the lines of the log that hold all the parts.
func (d *daemon) lines(parts ...string) []string {
	d.t.Helper()
	return matching(d.log(), parts...)
}

// matching returns the lines of a text that hold all the parts.
func matching(text string, parts ...string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// logged waits for a line of the log that holds all the parts.
func (d *daemon) logged(parts ...string) {
	d.t.Helper()
	kit.Eventually(d.t, fmt.Sprintf("a log line with %q", parts), func() bool { return len(d.lines(parts...)) > 0 })
}

// metric is the value of one series, named as in the page of metrics.
func (d *daemon) metric(series string) float64 {
	d.t.Helper()
	for line := range strings.Lines(d.m.ask(wire.Request{Op: wire.Scrape, Path: "127.0.0.1:9779"}).Text) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				d.t.Fatalf("metric %q: %v", line, err)
			}
			return v
		}
	}
	d.t.Fatalf("no metric %s", series)
	return 0
}

// entered is how often the hardware source came into a state.
func (d *daemon) entered(state source.State) float64 {
	d.t.Helper()
	return d.metric(fmt.Sprintf("hwrngd_source_transitions_total{source=%q,to=%q}", hardware, state))
}

// stop ends the daemon with SIGTERM, and fails the case if it takes too long or complains. It
// returns the time by the machine's clock.
func (d *daemon) stop() time.Duration {
	d.t.Helper()
	a := d.m.ask(wire.Request{Op: wire.Signal, Name: d.name, Signal: int(syscall.SIGTERM), Limit: 20 * time.Second})
	switch {
	case a.Running:
		d.t.Fatalf("still runs %s after SIGTERM", a.Took)
	case a.Code != 0:
		d.t.Errorf("exit code %d after SIGTERM, want 0", a.Code)
	case a.Took >= stopLimit:
		d.t.Errorf("%s from SIGTERM to the end, the limit is %s", a.Took, stopLimit)
	}
	return a.Took
}

// hwrngd runs one of the daemon's commands to its end.
func (m *machine) hwrngd(args ...string) wire.Answer {
	m.t.Helper()
	return m.ask(wire.Request{Op: wire.Run, Argv: append([]string{daemonPath}, args...), Limit: kit.Patience})
}
