package vm

import (
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// Scenario d: somebody else writes to the hw_random class while the daemon runs, or asks for what
// is not there.

// Another generator is put in place by hand. The policy is to keep what is there, so the daemon
// follows, and tests what it finds. The new one is dead.
func TestSelectByHand(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("d")}, {egd.Stuck(0)}}})
		d := m.start(everySecond)
		d.reaches(name(0), source.Active)
		d.credits(hardware)

		m.write(classDir+"rng_current", name(1))
		d.reaches(name(1), source.Quarantined)
		before := d.credited(hardware)
		d.credits(jitter)
		if after := d.credited(hardware); after != before {
			t.Errorf("%d bits credited for a dead generator", after-before)
		}

		m.write(classDir+"rng_current", name(0))
		d.reaches(name(0), source.Active)
		d.credits(hardware)
		if n := d.entered(source.Active); n != 2 {
			t.Errorf("entered active %v times, want twice", n)
		}

		// A name that is not there: most kernels take it without a word, and change nothing.
		_, err := m.try(wire.Request{Op: wire.Write, Path: classDir + "rng_current", Data: "nothing.0\n"})
		t.Logf("Linux %s says of an unknown name: %v", k.Version, err)
		d.credits(hardware)
		if n := d.entered(source.Active); n != 2 {
			t.Errorf("an unknown name has an effect: entered active %v times", n)
		}
		d.stop()
		if current := m.read(classDir + "rng_current"); current != name(0) {
			t.Errorf("the daemon leaves %s behind, found %s", current, name(0))
		}
	})
}

// The daemon is told which one to use, and holds to that. When it ends, it leaves things as found.
func TestSelectByName(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("d")}, {egd.Good("e")}}})
		d := m.start(everySecond, "--hwrng-select="+name(1))
		d.reaches(name(1), source.Active)
		d.credits(hardware)

		m.write(classDir+"rng_current", name(0))
		kit.Eventually(t, "the choice is restored", func() bool { return m.read(classDir+"rng_current") == name(1) })
		d.reaches(name(1), source.Active)
		d.credits(hardware)

		d.stop()
		if current := m.read(classDir + "rng_current"); current != name(0) {
			t.Errorf("the daemon leaves %s behind, found %s", current, name(0))
		}
	})
}

// A name that does not exist is no reason to end, and no reason to take another one.
func TestSelectUnknownName(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("d")}}})
		d := m.start(everySecond, "--hwrng-select=virtio_rng")
		d.credits(jitter)
		s := d.source(hardware)
		if s.State != source.Starting.String() || !strings.Contains(s.Reason, "available: "+name(0)) {
			t.Errorf("the source is %s: %s", s.State, s.Reason)
		}
		if bits := d.credited(hardware); bits != 0 {
			t.Errorf("%d bits credited for a generator that nobody selected", bits)
		}
		if lines := d.lines("did you mean " + name(0)); len(lines) != 1 {
			t.Errorf("want one line with a suggestion, got %q", lines)
		}
	})
}

// Since about Linux 6.11, none turns the class off: reads fail, and the kernel's thread ends. Older
// kernels know no generator of that name and change nothing.
func TestSelectNone(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("d")}}})
		d := m.start(everySecond)
		d.reaches(name(0), source.Active)
		d.credits(hardware)
		m.write(classDir+"rng_current", "none")
		if !strings.Contains(m.read(classDir+"rng_available"), "none") {
			d.credits(hardware)
			if n := d.entered(source.Active); n != 1 {
				t.Errorf("entered active %v times, want once", n)
			}
			return
		}
		d.credits(jitter)
		if s := d.source(hardware); s.State != source.Starting.String() || !strings.Contains(s.Reason, "rng_current is none") {
			t.Errorf("the source is %s: %s", s.State, s.Reason)
		}
		if status := m.hwrngd("status").Text; !strings.Contains(status, "kernel thread  not running") {
			t.Errorf("status does not say that the kernel's thread is gone:\n%s", status)
		}
		m.write(classDir+"rng_current", "") // the best one
		d.reaches(name(0), source.Active)
		d.credits(hardware)
	})
}
