package systemd

import (
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// maxExposure is the limit of systemd-analyze security's overall figure (0 to 10).
const maxExposure = 1.5

// setting is a line of a unit file, such as Type=notify.
type setting struct{ section, name, value string }

// unitFile reads a unit of the tree.
func unitFile(t *testing.T, name string) (settings []setting) {
	t.Helper()
	text := kit.ReadFile(t, tree+"/packaging/systemd/"+name)
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				t.Errorf("%s: no setting: %q", name, line)
			}
			settings = append(settings, setting{section, key, value})
		}
	}
	return settings
}

// words returns the values of a setting, all lines together.
func words(settings []setting, name string) (all []string) {
	for _, s := range settings {
		if s.name == name {
			all = append(all, strings.Fields(s.value)...)
		}
	}
	return all
}

// What must not change in hwrngd.service, whatever systemd says of it (FC-014, FC-021, FC-060, FC-083).
func TestUnitPolicy(t *testing.T) {
	unit := unitFile(t, "hwrngd.service")
	for _, test := range []struct {
		name string
		want []string // all of these words
	}{
		{"DefaultDependencies", []string{"no"}},
		{"Before", []string{"sysinit.target", "systemd-random-seed.service", "shutdown.target"}},
		{"Conflicts", []string{"shutdown.target", "rngd.service", "haveged.service", "jitterentropy.service", "rng-tools-debian.service"}},
		{"WantedBy", []string{"multi-user.target"}},
		{"Type", []string{"notify"}},
		{"RestartPreventExitStatus", []string{"2", "75", "77"}},
		{"CapabilityBoundingSet", []string{"CAP_SYS_ADMIN"}},
		{"SystemCallErrorNumber", []string{"EPERM"}},
		{"SystemCallArchitectures", []string{"native"}},
		{"SystemCallFilter", []string{"@system-service"}},
		{"MemoryDenyWriteExecute", []string{"yes"}},
	} {
		got := words(unit, test.name)
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s=%s lacks %s", test.name, strings.Join(got, " "), want)
			}
		}
	}
	if caps := words(unit, "CapabilityBoundingSet"); len(caps) != 1 {
		t.Errorf("more than one capability: %s", caps)
	}
	// Each of these would make it wait for a device, a file system or the network; the last two do so
	// by themselves (systemd.exec(5), "Implicit Dependencies").
	for _, name := range []string{
		"After", "Requires", "Requisite", "BindsTo", "Wants", "RequiresMountsFor", "ConditionPathExists", "AssertPathExists",
		"PIDFile", "StateDirectory", "CacheDirectory", "LogsDirectory", "PrivateTmp", "RootImage",
	} {
		if got := words(unit, name); got != nil {
			t.Errorf("%s=%s", name, strings.Join(got, " "))
		}
	}
}

// known are the settings that systemd 247 has (systemd.unit, .service, .exec, .socket,
// .resource-control and .kill of that release). What it lacks must be known to do no harm there.
var known = strings.Fields(`
	Description Documentation DefaultDependencies Before After Requires Conflicts ConditionVirtualization StartLimitIntervalSec
	Type NotifyAccess ExecStart ExecReload TimeoutStartSec TimeoutStopSec WatchdogSec Restart RestartSec RestartPreventExitStatus
	Environment LimitCORE RuntimeDirectory MemoryMax TasksMax CapabilityBoundingSet AmbientCapabilities NoNewPrivileges UMask
	DevicePolicy DeviceAllow PrivateDevices PrivateTmp ProtectSystem ReadWritePaths InaccessiblePaths ProtectHome PrivateMounts ProtectProc ProcSubset
	ProtectKernelTunables ProtectKernelModules ProtectKernelLogs ProtectControlGroups ProtectClock ProtectHostname
	RestrictSUIDSGID RestrictRealtime RestrictNamespaces LockPersonality MemoryDenyWriteExecute KeyringMode RemoveIPC
	PrivateNetwork IPAddressDeny IPAddressAllow RestrictAddressFamilies SystemCallArchitectures SystemCallErrorNumber SystemCallFilter
	WantedBy ListenStream NoDelay`)

func TestUnitsKnownToSystemd247(t *testing.T) {
	for _, name := range []string{"hwrngd.service", "hwrngd-metrics.service", "hwrngd-metrics.socket"} {
		for _, s := range unitFile(t, name) {
			if !slices.Contains(known, s.name) {
				t.Errorf("%s: %s= is not known to systemd 247", name, s.name)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	kit.NeedTool(t, "systemd-analyze")
	m := newMachine(t)
	m.boot()
	for _, name := range []string{"hwrngd.service", "hwrngd-metrics.socket", "hwrngd-metrics.service"} {
		if out, err := m.try("systemd-analyze", "verify", "--man=no", name); err != nil || out != "" {
			t.Errorf("systemd-analyze verify %s: %v\n%s", name, err, out)
		}
	}
	// What systemd makes of it, with what it adds by itself.
	for _, unit := range strings.Fields(m.property("hwrngd.service", "After") + " " + m.property("hwrngd.service", "Requires")) {
		// These are there from the first moment.
		if !slices.Contains([]string{"-.mount", "system.slice", "systemd-journald.socket"}, unit) {
			t.Errorf("hwrngd waits for %s", unit)
		}
	}
	if before := m.property("hwrngd.service", "Before"); !strings.Contains(before, "systemd-random-seed.service") {
		t.Errorf("Before=%s", before)
	}
}

func TestExposure(t *testing.T) {
	kit.NeedTool(t, "systemd-analyze")
	overall := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)
	for _, name := range []string{"hwrngd.service", "hwrngd-metrics.service"} {
		out, err := exec.Command("systemd-analyze", "security", "--no-pager", "--offline=true", tree+"/packaging/systemd/"+name).CombinedOutput()
		found := overall.FindSubmatch(out)
		if err != nil || found == nil {
			t.Fatalf("systemd-analyze security: %v\n%s", err, out)
		}
		figure, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil || figure > maxExposure {
			t.Errorf("%s: exposure %s, limit %v\n%s", name, found[1], maxExposure, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "✗") || strings.Contains(line, "Overall") {
				t.Logf("REPORT %s: %s", name, strings.TrimSpace(line))
			}
		}
	}
}

// TestShellScripts lints everything that a shell of the target runs, and what builds and tests it.
func TestShellScripts(t *testing.T) {
	kit.NeedTool(t, "shellcheck")
	for _, test := range []struct {
		shell  string
		except string // checks that do not know what the file is read by
		files  []string
	}{
		{"sh", "", []string{"debian/postinst", "debian/prerm", "debian/postrm", "rpm/post", "rpm/preun", "rpm/postun", "alpine/pre-install", "dracut/hwrngd-seed.sh", "dracut/hwrngd-seeded.sh"}},
		{"sh", "SC1090,SC1091", []string{"initramfs-tools/hook", "initramfs-tools/script"}},
		{"sh", "SC2034", []string{"alpine/hwrngd.initd"}},      // openrc-run reads the variables
		{"bash", "SC2154", []string{"dracut/module-setup.sh"}}, // dracut sets the others
		// Ours.
		{"sh", "SC2317", []string{"../docs/production.sh", "../test/budget.sh", "../test/need.sh", "../test/jitter/prove.sh"}}, // traps call some
		{"bash", "", []string{"build.sh", "reproduce.sh", "../test/fuzz.sh", "../test/bench/jitter.sh", "../test/systemd/machine.sh"}},
	} {
		args := []string{"--shell=" + test.shell, "--exclude=" + test.except}
		for _, file := range test.files {
			args = append(args, tree+"/packaging/"+file)
		}
		if out, err := exec.Command("shellcheck", args...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
