package systemd

import (
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

func TestReload(t *testing.T) {
	m := newMachine(t)
	m.device()
	m.boot()
	m.logged("first credit")
	pid := m.pid()
	before := m.sample(`hwrngd_entropy_credited_bits_total{source="hwrng"}`)
	config := m.read("/etc/hwrngd.toml")

	m.write("/etc/hwrngd.toml", config+"\nrefill-interval = \"7s\"\n")
	m.run("systemctl", "reload", "hwrngd")
	m.logged("configuration reloaded", "refill-interval")
	kit.Eventually(t, "the new interval in the metrics", func() bool { return m.sample("hwrngd_refill_interval_seconds") == 7 })

	m.write("/etc/hwrngd.toml", config+"\nrefil-interval = \"9s\"\n")
	m.run("systemctl", "reload", "hwrngd")
	m.logged("configuration refused", "refil-interval", "/etc/hwrngd.toml:")
	if got := m.sample("hwrngd_refill_interval_seconds"); got != 7 {
		t.Errorf("the interval is %v s after a configuration that was refused", got)
	}
	if got := m.sample("hwrngd_config_last_reload_successful"); got != 0 {
		t.Errorf("hwrngd_config_last_reload_successful is %v", got)
	}
	if state := m.property("hwrngd.service", "ActiveState"); state != "active" || m.pid() != pid {
		t.Errorf("%s, process %s; it was process %s", state, m.pid(), pid)
	}
	if after := m.sample(`hwrngd_entropy_credited_bits_total{source="hwrng"}`); after < before {
		t.Errorf("counters fell from %v to %v", before, after)
	}
}

// A configuration that is wrong at boot: no restarts, the boot goes on, and the journal has the line.
func TestBadConfigurationAtBoot(t *testing.T) {
	m := newMachine(t)
	m.put("/etc/hwrngd.toml", "monitor = false\nlog-level = \"loud\"\n")
	m.boot()
	m.state("sysinit.target", "active")
	if state, code := m.property("hwrngd.service", "ActiveState"), m.property("hwrngd.service", "ExecMainStatus"); state != "failed" || code != "2" {
		t.Errorf("the unit is %s, exit code %s", state, code)
	}
	if n := m.property("hwrngd.service", "NRestarts"); n != "0" {
		t.Errorf("restarted %s times", n)
	}
	if text := strings.Join(m.journal("_SYSTEMD_UNIT=hwrngd.service"), "\n"); !strings.Contains(text, "/etc/hwrngd.toml:2: ") {
		t.Errorf("the journal does not name the line:\n%s", text)
	}
	m.write("/etc/hwrngd.toml", "")
	m.run("systemctl", "restart", "hwrngd")
	m.state("hwrngd.service", "active")
}

// A daemon that hangs is replaced. SIGABRT cannot end a stopped process, so this also shows that
// systemd does not wait long before it uses SIGKILL.
func TestWatchdog(t *testing.T) {
	m := newMachine(t)
	m.put(unitDir+"/hwrngd.service.d/case.conf", "[Service]\nWatchdogSec=1s\nTimeoutStopSec=1s\nRestartSec=100ms\n")
	m.boot()
	m.state("hwrngd.service", "active")
	pid := m.pid()
	m.signal(syscall.SIGSTOP)
	kit.Eventually(t, "a restart", func() bool { return m.property("hwrngd.service", "NRestarts") == "1" })
	m.state("hwrngd.service", "active")
	if m.pid() == pid {
		t.Errorf("still process %s", pid)
	}
	if text := strings.Join(m.journal("UNIT=hwrngd.service"), "\n"); !strings.Contains(text, "Watchdog timeout") {
		t.Errorf("the journal does not say why:\n%s", text)
	}
}

// A daemon that crashes is started again, although a crash of a Go program looks like a wrong
// configuration by default: both exit with 2.
func TestCrash(t *testing.T) {
	m := newMachine(t)
	m.boot()
	m.state("hwrngd.service", "active")
	pid := m.pid()
	m.signal(syscall.SIGABRT)
	kit.Eventually(t, "a restart", func() bool { return m.property("hwrngd.service", "NRestarts") == "1" })
	m.state("hwrngd.service", "active")
	if m.pid() == pid {
		t.Errorf("still process %s", pid)
	}
}

// A second daemon by hand ends with its own code and leaves the first alone.
func TestSecondDaemon(t *testing.T) {
	m := newMachine(t)
	m.boot()
	m.state("hwrngd.service", "active")
	pid := m.pid()
	out, _ := m.try("/bin/sh", "-c", "hwrngd run --metrics-listen=off; echo code $?")
	if !strings.Contains(out, "code 75") || !strings.Contains(out, pid) {
		t.Errorf("the second daemon said:\n%s", out)
	}
	if m.pid() != pid {
		t.Errorf("now process %s, was %s", m.pid(), pid)
	}
}
