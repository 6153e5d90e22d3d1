package vm

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// unit is the daemon's, in a whole Debian.
const unit = "hwrngd.service"

// service is the daemon that systemd runs.
func (m *machine) service() *daemon {
	m.t.Helper()
	d := &daemon{m: m, t: m.t, unit: unit}
	d.showLog()
	return d
}

// command runs a program of the machine to its end. It returns what it wrote, without blanks
// around it, and its exit code.
func (m *machine) command(argv ...string) (output string, code int) {
	m.t.Helper()
	a := m.ask(wire.Request{Op: wire.Run, Argv: argv, Limit: bootLimit})
	return strings.TrimSpace(a.Text + a.Stderr), a.Code
}

// do runs a program of the machine that must work, and returns what it wrote.
func (m *machine) do(argv ...string) string {
	m.t.Helper()
	output, code := m.command(argv...)
	if code != 0 {
		m.t.Fatalf("%q: exit code %d: %s", argv, code, output)
	}
	return output
}

// property is what systemd says of a unit.
func (m *machine) property(unit, name string) string {
	m.t.Helper()
	return m.do("systemctl", "show", "--value", "-p", name, unit)
}

// moment is when something happened to a unit, since the machine's start.
func (m *machine) moment(unit, event string) time.Duration {
	m.t.Helper()
	text := m.property(unit, event+"TimestampMonotonic")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n == 0 {
		m.t.Fatalf("%s of %s: %q", event, unit, text)
	}
	return time.Duration(n) * time.Microsecond
}

// journal returns lines of the journal, each with its time since the machine's start.
func (m *machine) journal(args ...string) string {
	m.t.Helper()
	return m.do(slices.Concat([]string{"journalctl", "--no-pager", "-q", "-b", "-o", "short-monotonic"}, args)...)
}

// kernelSaid is when the kernel wrote a line, since the machine's start.
func (m *machine) kernelSaid(text string) time.Duration {
	m.t.Helper()
	return m.at(m.journal("-k", "--grep", text))
}

// at is when a line of the journal was written, since the machine's start.
func (m *machine) at(line string) time.Duration {
	m.t.Helper()
	_, stamp, _ := strings.Cut(line, "[")
	stamp, _, _ = strings.Cut(stamp, "]")
	seconds, err := strconv.ParseFloat(strings.TrimSpace(stamp), 64)
	if err != nil {
		m.t.Fatalf("a line of the journal: %q", line)
	}
	return time.Duration(seconds * float64(time.Second))
}

// fed waits until a source has earned credit. As configured by the package, the next one may take a
// minute.
func (d *daemon) fed(source string) {
	d.t.Helper()
	kit.Within(d.t, 3*kit.Patience, "credit for "+source, func() bool { return d.credited(source) > 0 })
}
