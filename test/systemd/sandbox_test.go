package systemd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// What the process may do in its sandbox, and what not.
func TestSandbox(t *testing.T) {
	m := newMachine(t)
	m.device()
	m.put("/etc/hwrngd.toml", "log-level = \"debug\"\n")
	m.boot()
	m.logged("first credit", "source=hwrng")
	// The filter of system calls lets it take more from itself.
	if abi, err := landlock.LandlockGetABIVersion(); err == nil {
		m.logged("gave up what is not needed", fmt.Sprintf("landlock_abi=%d", abi))
	}
	for _, test := range []struct{ field, want string }{
		{"CapBnd", "0000000000200000"}, // CAP_SYS_ADMIN is number 21
		{"CapEff", "0000000000200000"},
		{"CapAmb", "0000000000000000"},
		{"NoNewPrivs", "1"},
		{"Seccomp", "2"},
	} {
		if got := m.status(test.field); got != test.want {
			t.Errorf("%s is %s, want %s", test.field, got, test.want)
		}
	}
	t.Run("no network", func(t *testing.T) {
		if ours := m.run("readlink", "/proc/1/ns/net"); m.run("readlink", "/proc/"+m.pid()+"/ns/net") == ours {
			t.Errorf("hwrngd is in the machine's network %s", ours)
		}
		if files := m.shell("ls -l /proc/" + m.pid() + "/fd"); !strings.Contains(files, "socket:") {
			t.Errorf("no socket at all, so this shows nothing:\n%s", files)
		}
	})
	t.Run("mounts", func(t *testing.T) {
		mounts := m.read("/proc/" + m.pid() + "/mounts")
		for _, want := range []string{" / overlay ro", " /sys/devices/virtual/misc tmpfs rw"} {
			if !strings.Contains(mounts, want) {
				t.Errorf("no mount like %q in\n%s", want, mounts)
			}
		}
	})
	t.Run("the device filter is real", func(t *testing.T) {
		m.dropIn("hwrngd.service", "[Service]\nDeviceAllow=\n")
		m.run("systemctl", "restart", "hwrngd")
		m.logged("operation not permitted")
	})
}

// The choice of the generator is the only thing in /sys that hwrngd may change.
func TestSelection(t *testing.T) {
	m := newMachine(t)
	m.device()
	m.put("/etc/hwrngd.toml", `hwrng-select = "virtio_rng.1"`)
	m.boot()
	kit.Eventually(t, "the other generator is current", func() bool { return m.read(classDir+"/rng_current") == "virtio_rng.1" })
	m.logged("first credit", "driver=virtio_rng.1")
	m.run("systemctl", "stop", "hwrngd")
	// It found a choice of the kernel's, and an empty line gives the choice back.
	if current := m.read(classDir + "/rng_current"); current != "" {
		t.Errorf("left its choice %q behind", current)
	}
}

// A /sys that nobody can write. Who wants the present generator does not notice.
func TestReadOnlySysfs(t *testing.T) {
	m := newMachine(t)
	m.device()
	m.onBoot(readOnlySysfs)
	m.boot()
	m.logged("first credit", "source=hwrng")
	if n := m.count("read-only file system"); n != 0 {
		t.Errorf("%d complaints", n)
	}
}

// Who wants another one is told why it cannot be had, and gets the fallback: a generator that
// somebody chose by name is not silently replaced.
func TestReadOnlySysfsAndSelection(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.device()
	m.put("/etc/hwrngd.toml", `hwrng-select = "virtio_rng.1"`)
	m.onBoot(readOnlySysfs)
	m.boot()
	m.state("hwrngd.service", "active")
	m.logged("cannot select generator virtio_rng.1", "read-only file system")
	m.logged("first credit", "source=jitter")
	if n := m.count("cannot select"); n != 1 {
		t.Errorf("%d complaints, want one a minute", n)
	}
}

const readOnlySysfs = "mount -o remount,ro,bind $root/sys/devices/virtual/misc"

// Without its capability it tests and reports, and says what is wrong. It is not restarted in vain.
func TestNoCapability(t *testing.T) {
	m := newMachine(t)
	m.device()
	m.put(unitDir+"/hwrngd.service.d/case.conf", "[Service]\nCapabilityBoundingSet=\n")
	m.boot()
	m.state("hwrngd.service", "active")
	m.logged("CAP_SYS_ADMIN")
	kit.Eventually(t, "tested blocks", func() bool { return m.sample(`hwrngd_fips_blocks_total{result="pass",source="hwrng"}`) > 0 })
	if bits := m.sample(`hwrngd_entropy_credited_bits_total{source="hwrng"}`); bits != 0 {
		t.Errorf("%v bits credited", bits)
	}
	if n := m.property("hwrngd.service", "NRestarts"); n != "0" {
		t.Errorf("restarted %s times", n)
	}
}
