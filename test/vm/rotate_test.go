package vm

import (
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// Scenario rotate: of three generators, each has its turn, and the one that lies soon has none.

// turn is the shortest one that can be configured, and turnLimit how long the next may take to come.
const (
	turn      = time.Minute
	turnLimit = 3 * turn
)

// hasTurn waits until the daemon has put a generator in place and it is in use.
func (d *daemon) hasTurn(driver string) {
	d.t.Helper()
	kit.Within(d.t, turnLimit, driver+" has its turn", func() bool {
		s := d.source(hardware)
		return s.Driver == driver && s.State == source.Active.String()
	})
	if current := d.m.read(classDir + "rng_current"); current != driver {
		d.t.Errorf("rng_current is %s, the daemon reads %s", current, driver)
	}
	d.credits(hardware)
}

func TestRotate(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("r")}, {egd.Stuck(0)}, {egd.Good("s")}}})
		rotate := []string{everySecond, "--hwrng-select=rotate", "--hwrng-turn=" + turn.String(), "--sources=hwrng"}
		found, selected := m.read(classDir+"rng_current"), m.read(classDir+"rng_selected")
		d := m.start(rotate...)
		d.hasTurn(name(0))
		begin := time.Now()
		// Between the two is the liar, which does not get beyond its start-up test.
		d.hasTurn(name(2))
		reportTime(t, k, "from the first turn to the third, of 60 s each", time.Since(begin), "by this machine's clock; the second generator lies")
		if n := d.entered(source.Quarantined); n != 1 {
			t.Errorf("entered quarantine %v times, want once", n)
		}
		d.hasTurn(name(0))
		if lines := d.lines("source quarantined", "driver="+name(1)); len(lines) != 1 {
			t.Errorf("want one line about the liar, got %q", lines)
		}
		// Now it is left out.
		d.hasTurn(name(2))
		if n := d.entered(source.Quarantined); n != 1 {
			t.Errorf("the liar was tested again at once: entered quarantine %v times", n)
		}
		d.stop()
		if now, by := m.read(classDir+"rng_current"), m.read(classDir+"rng_selected"); now != found || by != selected {
			t.Errorf("the daemon leaves %s behind (selected %s), found %s (%s)", now, by, found, selected)
		}
	})
}

// Somebody writes to rng_current while the daemon rotates. From then on it follows; a reload begins anew.
func TestRotateYields(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("r")}, {egd.Good("s")}}})
		d := m.start(everySecond, "--hwrng-select=rotate", "--hwrng-turn="+turn.String(), "--sources=hwrng")
		d.hasTurn(name(0))
		d.hasTurn(name(1))
		m.write(classDir+"rng_current", name(0))
		d.reaches(name(0), source.Active)
		time.Sleep(turn + 10*time.Second)
		if current := m.read(classDir + "rng_current"); current != name(0) {
			t.Errorf("the daemon goes on against the choice of %s: %s", name(0), current)
		}
		if lines := d.lines("rotation stopped until a reload", "rng_current is "+name(0)+" and not "+name(1)); len(lines) != 1 {
			t.Errorf("want one line that says so, got %q", lines)
		}
		if r := d.source(hardware).Rotation; r == nil || r.Running || r.Stopped.IsZero() || r.Reason == "" {
			t.Errorf("the status says of the rotation %+v", r)
		}
		m.ask(wire.Request{Op: wire.Signal, Name: d.name, Signal: int(syscall.SIGHUP)})
		d.hasTurn(name(1))
		if r := d.source(hardware).Rotation; r == nil || !r.Running {
			t.Errorf("after a reload the status says of the rotation %+v", r)
		}
		d.stop()
		if current := m.read(classDir + "rng_current"); current != name(0) {
			t.Errorf("the daemon leaves %s behind, found the choice of %s", current, name(0))
		}
	})
}
