package vm

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/vm/egd"
)

// early is the kernel of this scenario. Older ones believe the generators and are faster than anybody else.
var early = linux612

// makers are the commands that make an initrd as the file /initrd, for a kernel that comes last.
var makers = map[string][]string{
	"initramfs-tools": {"mkinitramfs", "-o", "/initrd"},
	"dracut":          {"dracut", "--force", "--no-hostonly", "--add", "hwrngd", "/initrd"},
	// Without systemd nobody loads a driver before udev does.
	"dracut without systemd": {"dracut", "--force", "--no-hostonly", "--omit", "systemd systemd-initrd dracut-systemd", "--add", "hwrngd", "/initrd"},
}

// Whoever needs keys before the root file system is there: hwrngd seeds the kernel in the initramfs, and
// says so where the journal has it. The daemon finds a kernel that is ready.
func TestDebianInitramfs(t *testing.T) {
	if !all() {
		t.Skip("SKIPPED, NOT TESTED: needs HWRNGD_VM=all")
	}
	for _, maker := range slices.Sorted(maps.Keys(makers)) {
		t.Run(maker, func(t *testing.T) {
			defer reportVerdict(t, early, time.Now())
			m := bootDebian(t, setup{kernel: early, append: untrusting, seeding: maker, hardware: []egd.Script{{egd.Good("h")}}})
			mounted := m.kernelSaid("EXT4-fs .vda.: mounted")
			log := m.journal("-t", "hwrngd")
			for _, text := range []string{
				"started version=", "start-up test passed source=hwrng driver=virtio_rng.0",
				"first credit source=hwrng driver=virtio_rng.0", "the kernel's random generator is ready", "stopped",
			} {
				lines := matching(log, text)
				if len(lines) == 0 || m.at(lines[0]) > mounted {
					t.Errorf("want %q before the root file system at %s, got %q", text, mounted, lines)
				}
			}
			if lines := matching(log, "started version="); len(lines) != 2 || m.at(lines[1]) < mounted || !strings.Contains(lines[1], "crng_ready=true") {
				t.Errorf("the daemon is to start once more and find the kernel ready, got %q", lines)
			}
			if t.Failed() {
				t.Logf("log of both:\n%s", log)
			}
			reportTime(t, early, "the kernel is seeded, "+maker, m.kernelSaid("crng init done"), "since its start")
			reportTime(t, early, "the root file system is mounted", mounted, "since the kernel's start")
		})
	}
}
