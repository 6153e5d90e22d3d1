package vm

import (
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// Scenario d, continued: what the kernel and the administrator say of a generator's quality.

// A quality that is written while the daemon runs caps the claim, and only that: 0 means that
// nobody has stated one.
func TestQualityWritten(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("d")}}})
		if _, err := m.try(wire.Request{Op: wire.Read, Path: classDir + "rng_quality"}); err != nil {
			t.Skipf("Linux %s has no rng_quality: %v", k.Version, err)
		}
		d := m.start(everySecond)
		d.reaches(name(0), source.Active)
		d.credits(hardware)
		unstated := 4.0 // bits a byte, of the driver table
		for _, c := range []struct {
			quality string
			claim   float64
		}{{"100", 8 * 100. / 1024}, {"0", unstated}, {"1024", unstated}} {
			m.write(classDir+"rng_quality", c.quality)
			kit.Eventually(t, "the claim for quality "+c.quality, func() bool {
				s := d.source(hardware)
				return math.Abs(s.MinEntropy-c.claim) < 0.01 && s.State == source.Active.String()
			})
			d.credits(hardware)
		}
	})
}

// With rng_core.default_quality=0 the kernel credits nothing by itself, unless the driver states a
// quality, as that of virtio does up to Linux 6.1. What is tested is all that counts then.
func TestQualityDefaultZero(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, append: "rng_core.default_quality=0", hardware: []egd.Script{{egd.Silent()}}})
		m.hardware[0].Become(egd.Good("d"))
		const stated = "5.10 6.1"
		byItself := strings.Contains(stated, k.Version)
		if byItself {
			kit.Eventually(t, "the kernel seeds itself", func() bool { return m.seeded() })
		}
		d := m.start("--sources=hwrng", everySecond)
		d.reaches(name(0), source.Active)
		d.credits(hardware)
		wasReady := len(d.lines("started", "crng_ready=true")) == 1
		if wasReady != byItself {
			t.Errorf("seeded before the daemon: %v, want %v", wasReady, byItself)
		}
		if !m.seeded() {
			t.Error("credited, but the kernel is not seeded")
		}
		status := m.hwrngd("status").Text
		if !strings.Contains(status, "rng_core.default_quality=0") {
			t.Errorf("status does not show the default quality:\n%s", status)
		}
		if !byItself && strings.Contains(status, "trusted fully") {
			t.Errorf("rng_quality is %s, so that the kernel credits nothing, but status says:\n%s", m.read(classDir+"rng_quality"), status)
		}
	})
}

// seeded asks the machine whether getrandom answers.
func (m *machine) seeded() bool {
	m.t.Helper()
	return strings.Contains(m.hwrngd("status", "--output=json").Text, `"crng_ready": true,`)
}
