package systemd

import (
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// TestRPM installs, upgrades and removes the .rpm package. The machine is a Debian with rpm, so this
// shows what the package's scripts do with systemd, not how it gets on with Fedora's packages.
func TestRPM(t *testing.T) {
	path := packageFile(t, "rpm")
	kit.NeedTool(t, "rpm")
	m := bareMachine(t)
	kit.CopyFile(t, path, m.seed+"/hwrngd.rpm", 0o644)
	m.boot()
	rpm := func(args ...string) {
		t.Helper()
		m.run(append([]string{"rpm", "--force-debian", "--nodeps"}, args...)...)
	}

	rpm("-i", "/hwrngd.rpm")
	for _, unit := range []string{"hwrngd.service", "hwrngd-metrics.socket"} {
		m.state(unit, "active")
		if state := m.run("systemctl", "is-enabled", unit); state != "enabled" {
			t.Errorf("%s is %s", unit, state)
		}
	}
	m.run("getent", "group", "hwrngd")

	pid := m.pid()
	m.shell("echo 'refill-interval = \"7s\"' >>/etc/hwrngd.toml")
	rpm("-U", "--force", "/hwrngd.rpm")
	m.state("hwrngd.service", "active")
	if m.pid() == pid {
		t.Error("the old daemon still runs after an upgrade")
	}
	kit.Eventually(t, "the changed configuration is in use", func() bool { return m.sample("hwrngd_refill_interval_seconds") == 7 })

	rpm("-e", "hwrngd")
	for _, unit := range []string{"hwrngd.service", "hwrngd-metrics.socket"} {
		if state := m.property(unit, "ActiveState"); state != "inactive" {
			t.Errorf("%s is %s after the package was removed", unit, state)
		}
	}
	if out, err := m.try("ls", "/usr/sbin/hwrngd"); err == nil {
		t.Errorf("left behind: %s", out)
	}
}
