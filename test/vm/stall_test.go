package vm

import (
	"fmt"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario c, second half: a generator that gives nothing any more, or little. The kernel waits for
// a silent one without end, and whoever reads from it waits with the kernel.

func TestQuickSilent(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) {
		const goodBytes = 3 * fips.BlockBytes
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("silent").Until(goodBytes), egd.Silent()}}})
		d := m.start(everySecond)
		d.reaches(name(0), source.Active)
		kit.Eventually(t, "a read that hangs", m.hardware[0].Waiting)
		begin := time.Now()
		d.credits(jitter)
		reportTime(t, k, "credit from jitter after the hardware fell silent", time.Since(begin), "by this machine's clock")

		m.hardware[0].Become(egd.Good("speaks again"))
		begin = time.Now()
		d.reaches(name(0), source.Active)
		d.credits(hardware)
		reportTime(t, k, "credit from hardware that speaks again", time.Since(begin), "by this machine's clock")
	})
}

// A slow generator is not a dead one. It takes its time for the first block, and status shows how
// far that is.
func TestQuickSlow(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) { slow(t, k, 256, egd.Good("slow").At(256)) })
}

// A slow generator may have something in store when its first reader comes.
func TestSlowWithStore(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		slow(t, k, 100, egd.Good("store").Until(512), egd.Good("slow").At(100))
	})
}

// slow shows that the daemon stays with a generator of so many bytes a second.
func slow(t *testing.T, k kernel.Spec, perSecond int, script ...egd.Phase) {
	t.Helper()
	m := boot(t, setup{kernel: k, hardware: []egd.Script{script}})
	d := m.start("--sources=hwrng")
	progress := false
	kit.Within(t, 2*kit.Patience, "the first credit", func() bool {
		s := d.source(hardware)
		progress = progress || s.State == source.Starting.String() && s.BlockFilled > 0.2 && s.BlockFilled < 0.8
		return d.credited(hardware) > 0
	})
	if !progress {
		t.Error("status showed no progress")
	}
	if lines := d.lines("WARN"); len(lines) > 0 {
		t.Errorf("it is slow, and no more than that: %q", lines)
	}
	reportTime(t, k, fmt.Sprintf("first credit at %d bytes a second", perSecond), d.status().Credits.FirstCredit,
		fmt.Sprintf("since the daemon's start; a block of %d bytes is needed", fips.BlockBytes))
}

// A pause that is shorter than the limit for silence changes nothing.
func TestGap(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		const goodBytes = 2*fips.BlockBytes + fips.BlockBytes/2
		script := egd.Script{egd.Good("before").Until(goodBytes), egd.Silent().Lasting(4 * time.Second), egd.Good("after")}
		m := boot(t, setup{kernel: k, hardware: []egd.Script{script}})
		d := m.start(everySecond)
		for m.hardware[0].Given() < 2*goodBytes {
			d.credits(hardware)
		}
		if n := d.entered(source.Active); n != 1 {
			t.Errorf("entered active %v times, want once", n)
		}
		if bits := d.credited(jitter); bits != 0 {
			t.Errorf("%d bits credited for jitter", bits)
		}
	})
}

// A generator that is silent for ever holds its reader in the kernel. Pulling it out frees the
// reader, and the other generator takes over.
func TestSilentOneUnplugged(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Silent()}, {egd.Good("other")}}})
		d := m.start(everySecond)
		d.credits(jitter)
		if s := d.source(hardware); s.State == source.Active.String() {
			t.Errorf("a silent generator is %s", s.State)
		}
		begin := time.Now()
		m.step(m.vm.Unplug(generator(0)))
		d.reaches(name(1), source.Active)
		d.credits(hardware)
		reportTime(t, k, "credit from the other one after unplug", time.Since(begin), "by this machine's clock")
	})
}
