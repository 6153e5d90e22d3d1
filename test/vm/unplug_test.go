package vm

import (
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario c, first half: generators are pulled out and put back while the daemon uses them. When
// the current one goes, the kernel puts the other one in its place and tells nobody.
func TestQuickUnplug(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("c0")}, {egd.Good("c1")}}})
		d := m.start(everySecond)
		d.reaches(name(0), source.Active)
		d.credits(hardware)

		t.Log("the other one goes, and comes back: nothing changes")
		m.step(m.vm.Unplug(generator(1)))
		m.available(name(0))
		d.credits(hardware)
		m.step(m.vm.Plug(generator(1)))
		m.available(name(0), name(1))
		d.credits(hardware)
		if n := d.entered(source.Active); n != 1 {
			t.Errorf("entered active %v times, want once", n)
		}

		t.Log("the current one goes: the other one is tested from the start and takes over")
		begin := time.Now()
		m.step(m.vm.Unplug(generator(0)))
		d.reaches(name(1), source.Active)
		d.credits(hardware)
		reportTime(t, k, "credit from the other one after unplug", time.Since(begin), "by this machine's clock")
		if n := d.entered(source.Active); n != 2 {
			t.Errorf("entered active %v times, want twice", n)
		}
		m.step(m.vm.Plug(generator(0)))
		m.available(name(0), name(1))

		t.Log("both go: jitter takes over")
		m.step(m.vm.Unplug(generator(1)))
		m.step(m.vm.Unplug(generator(0)))
		d.credits(jitter)
		s := d.source(hardware)
		if s.State != source.Starting.String() || !strings.Contains(s.Reason, "no driver behind it") {
			t.Errorf("with nothing left the source is %s: %s", s.State, s.Reason)
		}

		t.Log("one comes back")
		begin = time.Now()
		m.step(m.vm.Plug(generator(1)))
		d.logged("start-up test passed", "driver="+d.m.current())
		d.credits(hardware)
		reportTime(t, k, "credit after replug of the only one", time.Since(begin), "by this machine's clock")
		d.stop()
	})
}

// current is the name of the current generator. It waits until there is one.
func (m *machine) current() string {
	m.t.Helper()
	name := ""
	kit.Eventually(m.t, "a current generator", func() bool {
		name = m.read(classDir + "rng_current")
		return name != "none"
	})
	return name
}

// available waits until these generators are there and no others.
func (m *machine) available(names ...string) {
	m.t.Helper()
	kit.Eventually(m.t, "generators "+strings.Join(names, ", "), func() bool {
		have := strings.Fields(m.read(classDir + "rng_available"))
		n := 0
		for _, h := range have {
			if h != "none" { // a word of newer kernels, no name
				n++
			}
		}
		for _, name := range names {
			if !strings.Contains(" "+strings.Join(have, " ")+" ", " "+name+" ") {
				return false
			}
		}
		return n == len(names)
	})
}
