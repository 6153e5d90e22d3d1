package openwrt

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// TestShellScripts lints what a router's shell runs. Its dialect is dash's with a little more.
func TestShellScripts(t *testing.T) {
	kit.NeedTool(t, "shellcheck")
	for _, test := range []struct {
		shell, except string // checks that do not know who reads the file
		files         []string
	}{
		{"dash", "SC2034", []string{files + "hwrngd.init"}}, // rc.common reads the variables
		{"dash", "", []string{files + "hwrngd.hotplug", files + "hwrngd.uci-defaults"}},
		{"dash", "SC1091", []string{tree + "/packaging/openwrt/scripts/postinst", tree + "/packaging/openwrt/scripts/postupgrade", tree + "/packaging/openwrt/scripts/prerm", tree + "/packaging/openwrt/scripts/preupgrade"}},
		{"bash", "", []string{tree + "/packaging/openwrt/build.sh"}},
		{"dash", "SC1090,SC1091,SC2034", []string{"testdata/root/lib/functions.sh", "testdata/root/lib/functions/procd.sh", "testdata/root/etc/rc.common"}},
	} {
		args := append([]string{"--shell=" + test.shell, "--exclude=" + test.except}, test.files...)
		if out, err := exec.Command("shellcheck", args...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// What must not change in the init script (FC-026): two digits, at most 05, under procd.
func TestInitScriptPolicy(t *testing.T) {
	script := kit.ReadFile(t, files+"hwrngd.init")
	if !strings.HasPrefix(script, "#!/bin/sh /etc/rc.common\n") {
		t.Error("not a script of rc.common")
	}
	if !regexp.MustCompile(`(?m)^START=0[0-5]$`).MatchString(script) {
		t.Error("START is not two digits and at most 05")
	}
	if !strings.Contains(script, "\nUSE_PROCD=1\n") {
		t.Error("not under procd")
	}
}

// The jail leaves one capability, which RNDADDENTROPY asks for, in each of the five sets of ujail.
func TestCapabilities(t *testing.T) {
	var sets map[string][]string
	if err := json.Unmarshal([]byte(kit.ReadFile(t, files+"hwrngd.json")), &sets); err != nil {
		t.Fatal(err)
	}
	if names := slices.Sorted(maps.Keys(sets)); !slices.Equal(names, []string{"ambient", "bounding", "effective", "inheritable", "permitted"}) {
		t.Errorf("sets %q", names)
	}
	for name, caps := range sets {
		if !slices.Equal(caps, []string{"CAP_SYS_ADMIN"}) {
			t.Errorf("%s: %q", name, caps)
		}
	}
}

// sysupgrade keeps what the user has made: what it lists are paths, one a line (find takes them so).
func TestKeepList(t *testing.T) {
	for line := range strings.Lines(kit.ReadFile(t, files+"hwrngd.keep")) {
		if path := strings.TrimSuffix(line, "\n"); !regexp.MustCompile(`^/etc/[a-z/]+$`).MatchString(path) {
			t.Errorf("%q is not a path of the user's", line)
		}
	}
	if _, err := os.Stat(files + "hwrngd.config"); err != nil || !strings.Contains(kit.ReadFile(t, files+"hwrngd.keep"), "/etc/config/hwrngd\n") {
		t.Errorf("the configuration is not kept: %v", err)
	}
}
