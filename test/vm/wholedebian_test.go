package vm

import (
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario h: a whole Debian with systemd and udev, where nothing but hwrngd's package was added.

// untrusting makes Linux since 6.2 credit nothing by itself for a generator that states no quality.
// Older kernels know the option, but the driver of the generators states a quality to them.
const untrusting = "rng_core.default_quality=0"

// The usual life: ready before anybody needs a key, feeding, open to the group, reloaded, stopped.
func TestDebianBoot(t *testing.T) {
	onDebians(t, func(t *testing.T, k kernel.Spec) {
		m := bootDebian(t, setup{kernel: k, append: untrusting, hardware: []egd.Script{{egd.Good("h")}}})
		d := m.service()
		ready := m.moment(unit, "ActiveEnter")
		for unit, event := range map[string]string{"systemd-random-seed.service": "InactiveExit", "sysinit.target": "ActiveEnter"} {
			if at := m.moment(unit, event); at < ready {
				t.Errorf("%s at %s, but hwrngd was ready at %s", unit, at, ready)
			}
		}
		t.Logf("critical chain:\n%s", m.do("systemd-analyze", "--no-pager", "critical-chain", "systemd-random-seed.service"))
		reportTime(t, k, "start of the unit", m.moment(unit, "InactiveExit"), "since that of the kernel")
		reportTime(t, k, "start of the unit to READY", ready-m.moment(unit, "InactiveExit"), "with all that boots at the same time")
		reportTime(t, k, "the kernel is seeded", m.kernelSaid("crng init done"), "since its start")
		if k.Version == linux612.Version {
			m.seededByFirstCredit(d)
		}
		reportTime(t, k, "first credit", d.status().Credits.FirstCredit, "since the daemon's start")

		d.reaches(name(0), source.Active)
		d.fed(hardware)
		if text := m.property(unit, "StatusText"); !strings.Contains(text, "feeding from hwrng (virtio_rng.0)") {
			t.Errorf("StatusText is %q", text)
		}
		m.openToGroup()
		if out := m.journal("-p", "warning", "-t", "hwrngd", "-t", "systemd"); out != "" {
			t.Errorf("complaints in the journal:\n%s", out)
		}

		m.do("sh", "-c", "echo 'refill-interval = \"7s\"' >>/etc/hwrngd.toml && systemctl reload hwrngd")
		d.logged("configuration reloaded", "refill-interval")
		if seconds := d.metric("hwrngd_refill_interval_seconds"); seconds != 7 {
			t.Errorf("the interval is %v s after a reload, want 7", seconds)
		}

		m.do("systemctl", "stop", "hwrngd")
		took := m.moment(unit, "InactiveEnter") - m.moment(unit, "ActiveExit")
		if took >= stopLimit {
			t.Errorf("stopping took %s, the limit is %s", took, stopLimit)
		}
		if result := m.property(unit, "Result"); result != "success" {
			t.Errorf("the result is %s", result)
		}
		reportTime(t, k, "systemctl stop", took, "limit 1 s")
	})
}

// The machine's only generator is dead from the first byte on.
func TestDebianLiar(t *testing.T) {
	onDebians(t, func(t *testing.T, k kernel.Spec) {
		m := bootDebian(t, setup{kernel: k, append: untrusting, hardware: []egd.Script{{egd.Stuck(0)}}})
		d := m.service()
		d.reaches(name(0), source.Quarantined)
		d.fed(jitter)
		if bits := d.credited(hardware); bits != 0 {
			t.Errorf("%d bits credited for a dead generator", bits)
		}
		if seeded := m.seeded(); !seeded {
			t.Error("jitter is credited, but the kernel is not seeded")
		}
		if text := m.property(unit, "StatusText"); !strings.Contains(text, "feeding from jitter") {
			t.Errorf("StatusText is %q", text)
		}
		if out := m.journal("-p", "warning", "-t", "hwrngd"); !strings.Contains(out, "source quarantined source=hwrng") {
			t.Errorf("the journal's warnings do not name the source:\n%s", out)
		}
		by := "by jitter, which hwrngd credited"
		if len(d.lines("started", "crng_ready=true")) == 1 {
			by = "by the kernel itself, with zeros, before hwrngd's start"
			if k.Version == linux612.Version {
				t.Errorf("the kernel has credited zeros in spite of %s", untrusting)
			}
		}
		reportTime(t, k, "the kernel is seeded", m.kernelSaid("crng init done"), "since its start; "+by)
	})
}

// A generator that is plugged into the running machine: udev loads its driver and opens the device
// to the group, and the daemon uses it without a restart.
func TestDebianPluggedLater(t *testing.T) {
	onDebians(t, func(t *testing.T, k kernel.Spec) {
		m := bootDebian(t, setup{kernel: k, append: untrusting, absent: true, hardware: []egd.Script{{egd.Good("h")}}})
		d := m.service()
		pid := d.status().PID
		d.fed(jitter)
		if s := d.source(hardware); s.State != source.Starting.String() || s.Reason == "" {
			t.Errorf("without a generator the source is %s: %s", s.State, s.Reason)
		}
		begin := time.Now()
		m.step(m.vm.Plug(generator(0)))
		d.reaches(name(0), source.Active)
		d.fed(hardware)
		reportTime(t, k, "credit after a generator is plugged in", time.Since(begin), "by this machine's clock")
		m.do("udevadm", "settle")
		m.openToGroup()
		if now := d.status().PID; now != pid || m.property(unit, "NRestarts") != "0" {
			t.Errorf("process %d has become %d", pid, now)
		}
	})
}

// onDebians runs a scenario with the kernels that this Debian has: its own, and the newer one of
// its backports.
func onDebians(t *testing.T, scenario func(t *testing.T, k kernel.Spec)) {
	t.Helper()
	if !all() {
		t.Skip("SKIPPED, NOT TESTED: needs HWRNGD_VM=all")
	}
	for _, k := range []kernel.Spec{linux61, linux612} {
		t.Run(k.Version, func(t *testing.T) {
			defer reportVerdict(t, k, time.Now())
			scenario(t, k)
		})
	}
}

// seededByFirstCredit shows that the kernel was not seeded before the daemon's first credit, and was
// by that.
func (m *machine) seededByFirstCredit(d *daemon) {
	m.t.Helper()
	for _, parts := range [][]string{{"started", "crng_ready=false"}, {"first credit", "source=hwrng"}} {
		if len(d.lines(parts...)) != 1 {
			m.t.Errorf("want one line with %q in the log:\n%s", parts, d.log())
		}
	}
	seeded := m.kernelSaid("crng init done")
	if begun, ready := m.moment(unit, "ExecMainStart"), m.moment(unit, "ActiveEnter"); seeded < begun || seeded > ready {
		m.t.Errorf("the kernel was seeded at %s, but hwrngd came at %s and was ready at %s", seeded, begun, ready)
	}
}

// openToGroup shows that the package's udev rule has its effect: its group reads the generator, and
// nobody else but root does.
func (m *machine) openToGroup() {
	m.t.Helper()
	if got := m.do("stat", "-c", "%A %U %G", "/dev/hwrng"); got != "crw-r----- root hwrngd" {
		m.t.Errorf("/dev/hwrng is %s", got)
	}
	read := func(group string) int {
		_, code := m.command("setpriv", "--reuid=nobody", "--regid=nogroup", "--groups="+group, "head", "-c", "16", "/dev/hwrng")
		return code
	}
	if code := read("hwrngd"); code != 0 {
		m.t.Errorf("a member of the group cannot read the generator: exit code %d", code)
	}
	if code := read("nogroup"); code == 0 {
		m.t.Error("anybody can read the generator")
	}
}
