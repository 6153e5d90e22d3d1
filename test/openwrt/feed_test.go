package openwrt

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// feedMakefiles are stand-ins for OpenWrt's, as far as the package's Makefile uses them: "show" prints
// what it sets, "install" does what it says for one package.
var feedMakefiles = map[string]string{
	"rules.mk": `INCLUDE_DIR := $(TOPDIR)/include
INSTALL_DIR := install -d -m0755
INSTALL_BIN := install -m0755
INSTALL_DATA := install -m0644
INSTALL_CONF := install -m0600
LN := ln -sf
all:
`,
	"include/package.mk": `define BuildPackage
$(Build/Compile)
$(eval $(Package/$(1)))
$(info $(1): VARIANT=$(VARIANT) DEPENDS=$(DEPENDS) CONFLICTS=$(CONFLICTS) PROVIDES=$(PROVIDES) conffiles=$(Package/$(1)/conffiles))
install-$(1):
	$(call Package/$(1)/install,$(ROOT))
endef
`,
	"feeds/packages/lang/golang/golang-package.mk": `GO_ARCH_DEPENDS := @(mips||arm)
$(info tags=$(GO_PKG_TAGS) ldflags=$(GO_PKG_LDFLAGS_X) package=$(GO_PKG_BUILD_PKG) version=$(PKG_VERSION))
GO_PKG_DEFAULT_GCFLAGS := -spectre all
define GoPackage/Build/Compile
$(info go install $(if $(GO_PKG_GCFLAGS),-gcflags "$(GO_PKG_GCFLAGS) $(GO_PKG_DEFAULT_GCFLAGS)") $(1))
endef
Build/Compile = $(call GoPackage/Build/Compile)
define GoPackage/Package/Install/Bin
	$(INSTALL_DIR) $(1)$(GO_PKG_INSTALL_BIN_PATH)
	$(INSTALL_BIN) $(PROGRAM) $(1)$(GO_PKG_INSTALL_BIN_PATH)/
endef
`,
}

// feed runs make on the package's Makefile.
func feed(t *testing.T, args ...string) string {
	t.Helper()
	top := t.TempDir()
	for name, text := range feedMakefiles {
		kit.WriteFile(t, filepath.Join(top, name), text, 0o644)
	}
	cmd := exec.Command("make", append([]string{"-s", "-C", tree + "/packaging/openwrt", "TOPDIR=" + top}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestFeedMakefile(t *testing.T) {
	const lean = `-gcflags "all=-l -spectre all" -gcflags "github.com/hwrngd/hwrngd/...=-spectre all"`
	for _, test := range []struct{ variant, tags, gcflags string }{
		{"", "netgo,osusergo,minimal", lean}, {"minimal", "netgo,osusergo,minimal", lean}, {"full", "netgo,osusergo", " "},
	} {
		out := feed(t, "BUILD_VARIANT="+test.variant, "--no-print-directory")
		version := regexp.MustCompile(`(?m)^const nextVersion = "([0-9.]+)`).FindStringSubmatch(kit.ReadFile(t, tree+"/cmd/hwrngd/version.go"))
		for _, want := range []string{
			"tags=" + test.tags + " ldflags=main.version=" + version[1] + " package=github.com/hwrngd/hwrngd/cmd/hwrngd version=" + version[1] + "\n",
			"go install " + test.gcflags + "\n",
			"hwrngd: VARIANT=minimal DEPENDS=@(mips||arm) CONFLICTS=rng-tools haveged PROVIDES= conffiles=/etc/config/hwrngd\n",
			"hwrngd-full: VARIANT=full DEPENDS=@(mips||arm) CONFLICTS=rng-tools haveged hwrngd PROVIDES=hwrngd conffiles=/etc/config/hwrngd\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("variant %q lacks %q:\n%s", test.variant, want, out)
			}
		}
	}
}

// The ready-made packages are compiled as the Makefile's minimal build is, of which HACKING.md has the sizes;
// all but those for mips64, for which build.sh says why.
func TestPackagesAreLean(t *testing.T) {
	lean := regexp.MustCompile(`(?m)^LEAN .*? (-gcflags=.*) -ldflags`).FindStringSubmatch(kit.ReadFile(t, tree+"/Makefile"))
	if lean == nil || !strings.Contains(kit.ReadFile(t, tree+"/packaging/openwrt/build.sh"), "\tlean=("+lean[1]+")\n") {
		t.Errorf("packaging/openwrt/build.sh does not have %q", lean)
	}
}

// installed returns what the feed's Makefile puts into a package.
func installed(t *testing.T, name string) archive {
	t.Helper()
	root := t.TempDir()
	feed(t, "install-"+name, "ROOT="+root, "PROGRAM="+kit.Program())
	all := archive{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{mode: info.Mode()}
		if e.mode.IsRegular() {
			e.data = kit.ReadFile(t, name)
		} else {
			e.mode = os.ModeSymlink
			e.link, err = os.Readlink(name)
		}
		all[strings.TrimPrefix(name, root+"/")] = e
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The feed's package and the ready-made ones hold the same.
func TestFeedInstallsTheSame(t *testing.T) {
	small := installed(t, "hwrngd")
	for _, kind := range []string{"ipk", "apk"} {
		for _, p := range builtPackages(t, kind) {
			for name, e := range p.data {
				if strings.HasPrefix(name, "lib/apk/") {
					continue // made by OpenWrt's build for an .apk
				}
				want, ok := small[name]
				if name == "usr/sbin/hwrngd" {
					want.data, e.data = "", ""
				}
				if !ok || e != want {
					t.Errorf("%s for %s: %s differs from the feed's: mode %v, %v; link %q, %q", kind, p.arch, name, e.mode, want.mode, e.link, want.link)
				}
			}
			for name := range small {
				if _, ok := p.data[name]; !ok {
					t.Errorf("%s for %s lacks %s", kind, p.arch, name)
				}
			}
		}
	}
}

// The full variant is the small one with another program, which is rngtest as well.
func TestFullVariant(t *testing.T) {
	full := installed(t, "hwrngd-full")
	if got := full["usr/bin/rngtest"]; got.link != "../sbin/hwrngd" {
		t.Errorf("rngtest is %v, a link to %q", got.mode, got.link)
	}
	delete(full, "usr/bin/rngtest")
	if small := installed(t, "hwrngd"); !maps.Equal(full, small) {
		t.Errorf("it holds %q, the small one %q", slices.Sorted(maps.Keys(full)), slices.Sorted(maps.Keys(small)))
	}
}
