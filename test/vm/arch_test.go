package vm

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// otherArchs are kernels of other architectures: the numbers of ioctls, the size of words and the
// order of bytes differ there.
var otherArchs = []kernel.Spec{
	linux61On("arm64", "cloud-arm64", "virtio_pci", "virtio_mmio"),
	linux61On("armhf", "armmp-lpae", "virtio_pci", "virtio_mmio"),
	linux61On("mipsel", "4kc-malta", "virtio_pci"),
	linux61On("s390x", "s390x"),
}

// linux61On is Debian's kernel of a flavour, with the modules that lead to the generators.
func linux61On(arch, flavour string, modules ...string) kernel.Spec {
	k := linux61
	k.Arch, k.Modules = arch, append(modules, driver)
	k.Package = regexp.MustCompile(`^linux-image-6\.1\.[0-9.-]+-` + flavour + `$`)
	return k
}

// Boot and feed, with each edition: the daemon credits good hardware, drops a dead one's data, seeds
// from jitter where the machine's clock allows that, and stops.
func TestArchitectures(t *testing.T) {
	onArchitectures(t, func(t *testing.T, k kernel.Spec) {
		for _, e := range editions {
			t.Run(e.name, func(t *testing.T) { feeds(t, k, e) })
		}
	})
}

// jitterPatience is how long jitter may take to its first credit. A sample takes milliseconds where each touch of
// memory is a miss that emulation handles, as on MIPS, and the measurement needs many.
const jitterPatience = 30 * time.Minute

func feeds(t *testing.T, k kernel.Spec, e edition) {
	t.Helper()
	m := boot(t, setup{kernel: k, edition: e, hardware: []egd.Script{{egd.Good("arch")}}})
	d := m.start(everySecond)
	d.reaches(name(0), source.Active)
	d.credits(hardware)
	reportTime(t, k, "first credit", d.status().Credits.FirstCredit, e.name+" build, since the daemon's start")

	m.hardware[0].Become(egd.Stuck(0))
	d.reaches(name(0), source.Quarantined)
	before, died := d.credited(hardware), time.Now()
	kit.Within(t, jitterPatience, "jitter credits or says why it cannot", func() bool {
		return d.credited(jitter) > 0 || strings.Contains(d.source(jitter).Reason, "refused")
	})
	if after := d.credited(hardware); after != before {
		t.Errorf("%d bits credited for a dead generator", after-before)
	}
	j := d.source(jitter)
	reportTime(t, k, "jitter's answer after the hardware died", time.Since(died),
		fmt.Sprintf("%s build; it is %s, %d bits credited %s", e.name, j.State, d.credited(jitter), j.Reason))
	if status := m.hwrngd("status"); !strings.Contains(status.Text, "seeded") {
		t.Errorf("status: exit code %d\n%s%s", status.Code, status.Text, status.Stderr)
	}
	reportTime(t, k, "SIGTERM to exit", d.stop(), e.name+" build; limit 1 s")
}

// onArchitectures runs a scenario on other architectures.
func onArchitectures(t *testing.T, scenario func(t *testing.T, k kernel.Spec)) {
	t.Helper()
	if !all() {
		t.Skip("SKIPPED, NOT TESTED: needs HWRNGD_VM=all")
	}
	for _, k := range otherArchs {
		t.Run(k.Arch, func(t *testing.T) {
			defer reportVerdict(t, k, time.Now())
			scenario(t, k)
		})
	}
}
