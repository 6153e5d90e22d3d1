package systemd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// packageFile finds the package of that kind in $HWRNGD_PACKAGES, a directory that
// packaging/build.sh has made.
func packageFile(t *testing.T, kind string) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(os.Getenv("HWRNGD_PACKAGES"), "*."+kind))
	if len(found) != 1 {
		kit.Missing(t, "$HWRNGD_PACKAGES has to name a directory with one .%s file, as 'make package' makes it; found %q", kind, found)
	}
	return found[0]
}

// debMachine boots a machine that has the package as /hwrngd.deb, not yet installed.
func debMachine(t *testing.T) *machine {
	t.Helper()
	deb := packageFile(t, "deb")
	kit.NeedTool(t, "dpkg-deb")
	m := bareMachine(t)
	kit.CopyFile(t, deb, m.seed+"/hwrngd.deb", 0o644)
	m.onBoot("rm -f $root/var/lib/man-db/auto-update") // all the machine's pages, for nothing
	m.boot()
	return m
}

// changed makes another package from the one in the machine, by an edit of the unpacked tree.
func (m *machine) changed(name, edit string) {
	m.t.Helper()
	m.shell("dpkg-deb -R /hwrngd.deb /edit && cd /edit && " + edit + " && cd / && dpkg-deb -Znone -b /edit " + name + " && rm -r /edit")
}

func TestDebInstall(t *testing.T) {
	m := debMachine(t)
	m.run("dpkg", "-i", "/hwrngd.deb")
	for _, unit := range []string{"hwrngd.service", "hwrngd-metrics.socket"} {
		m.state(unit, "active")
		if state := m.run("systemctl", "is-enabled", unit); state != "enabled" {
			t.Errorf("%s is %s", unit, state)
		}
	}
	kit.Eventually(t, "metrics at the port", func() bool { return m.sample("hwrngd_ready") == 1 })
	m.run("getent", "group", "hwrngd")
	m.run("hwrngd", "check")
	for _, page := range []string{"man8/hwrngd.8.gz", "man5/hwrngd.toml.5.gz", "man1/hwrngd-list.1.gz"} {
		if m.run("zcat", "/usr/share/man/"+page) == "" {
			t.Errorf("%s is empty", page)
		}
	}
	if diff := m.shell("hwrngd completion bash | cmp - /usr/share/bash-completion/completions/hwrngd"); diff != "" {
		t.Errorf("the completion is not this program's: %s", diff)
	}
}

// An upgrade restarts the daemon and keeps what the administrator changed.
func TestDebUpgrade(t *testing.T) {
	m := debMachine(t)
	m.run("dpkg", "-i", "/hwrngd.deb")
	m.state("hwrngd.service", "active")
	pid := m.pid()
	m.shell("echo 'refill-interval = \"7s\"' >>/etc/hwrngd.toml")
	m.changed("/newer.deb", "sed -i 's/^Version: .*/Version: 999/' DEBIAN/control")
	m.run("dpkg", "-i", "/newer.deb")
	m.state("hwrngd.service", "active")
	if m.pid() == pid {
		t.Error("the old daemon still runs")
	}
	kit.Eventually(t, "the changed configuration is in use", func() bool { return m.sample("hwrngd_refill_interval_seconds") == 7 })

	m.run("systemctl", "disable", "--now", "hwrngd.service")
	m.changed("/newest.deb", "sed -i 's/^Version: .*/Version: 9999/' DEBIAN/control")
	m.run("dpkg", "-i", "/newest.deb")
	enabled, _ := m.try("systemctl", "is-enabled", "hwrngd.service")
	if active := m.property("hwrngd.service", "ActiveState"); enabled != "disabled" || active != "inactive" {
		t.Errorf("an upgrade made a disabled unit %s and %s", enabled, active)
	}
}

func TestDebRemoveAndPurge(t *testing.T) {
	m := debMachine(t)
	before := m.shell("find /etc /usr/lib/systemd /usr/sbin | sort")
	m.run("dpkg", "-i", "/hwrngd.deb")
	m.state("hwrngd.service", "active")
	m.run("dpkg", "-r", "hwrngd")
	for _, unit := range []string{"hwrngd.service", "hwrngd-metrics.socket"} {
		if state := m.property(unit, "ActiveState"); state != "inactive" {
			t.Errorf("%s is %s after the package was removed", unit, state)
		}
	}
	if m.read("/etc/hwrngd.toml") == "" {
		t.Error("the configuration went with the package")
	}
	m.run("dpkg", "-P", "hwrngd")
	// The group stays, as groups do: files may belong to it.
	left := map[string]bool{}
	for path := range strings.Lines(m.shell("find /etc /usr/lib/systemd /usr/sbin | sort") + "\n") {
		if path = strings.TrimSpace(path); !strings.HasPrefix(filepath.Base(path), "group") && !strings.HasPrefix(filepath.Base(path), "gshadow") {
			left[path] = true
		}
	}
	for path := range strings.Lines(before + "\n") {
		delete(left, strings.TrimSpace(path))
	}
	for path := range left {
		t.Errorf("left behind: %s", path)
	}
}

// It takes the place of the packages that do the same, and none of them can be installed beside it.
func TestDebConflicts(t *testing.T) {
	m := debMachine(t)
	for i, rival := range []string{"rng-tools5", "rng-tools-debian", "haveged", "jitterentropy-rngd"} {
		m.shell("mkdir -p /r/DEBIAN && printf 'Package: " + rival + "\\nVersion: 1\\nArchitecture: all\\nMaintainer: x <x@example.com>\\nDescription: x\\n' >/r/DEBIAN/control && dpkg-deb -b /r /" + rival + ".deb")
		if i == 0 {
			m.run("dpkg", "-i", "/"+rival+".deb")
			m.run("dpkg", "-i", "/hwrngd.deb")
			if out, err := m.try("dpkg-query", "-W", "-f", "${db:Status-Status}", rival); err == nil && out == "installed" {
				t.Errorf("%s is still installed", rival)
			}
		}
		if out, err := m.try("dpkg", "-i", "/"+rival+".deb"); err == nil || !strings.Contains(out, "hwrngd conflicts with "+rival) {
			t.Errorf("%s beside hwrngd: %v\n%s", rival, err, out)
		}
	}
	m.state("hwrngd.service", "active")
}
