package openwrt

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// setting is a line of the table in build.sh.
type setting struct {
	name  string
	env   []string // for go build
	archs []string // OpenWrt's names
}

func settings(t *testing.T) (all []setting) {
	t.Helper()
	table := regexp.MustCompile(`(?s)\narchs='\n(.*?)'\n`).FindStringSubmatch(kit.ReadFile(t, tree+"/packaging/openwrt/build.sh"))
	if table == nil {
		t.Fatal("no table of architectures in build.sh")
	}
	for line := range strings.Lines(table[1]) {
		words := strings.Fields(line)
		all = append(all, setting{words[0], words[1:3], words[3:]})
	}
	return all
}

// emulators are qemu's programs, with a processor as weak as those that the packages are for: one without a
// floating-point unit shows what would else be seen only on the device. Threads of Go do not work in
// qemu-i386 (7.2), so those programs run as they are.
var emulators = map[string][]string{
	"386-softfloat": {},
	"386":           {},
	"amd64":         {"qemu-x86_64-static"},
	"arm5":          {"qemu-arm-static", "-cpu", "arm926"},
	"arm6":          {"qemu-arm-static", "-cpu", "arm1176"},
	"arm7":          {"qemu-arm-static", "-cpu", "cortex-a7"},
	"arm64":         {"qemu-aarch64-static", "-cpu", "cortex-a53"},
	"mips":          {"qemu-mips-static", "-cpu", "24Kc"},
	"mipsle":        {"qemu-mipsel-static", "-cpu", "24Kc"},
	"mips64":        {"qemu-mips64-static"},
	"riscv64":       {"qemu-riscv64-static"},
}

// Each program of the packages works on its kind of machine. With HWRNGD_OPENWRT=all the full variant
// is built for each of them and tried as well, with what only it has.
func TestEmulated(t *testing.T) {
	kit.NeedTool(t, "qemu-mipsel-static")
	packages := builtPackages(t, "ipk")
	for _, s := range settings(t) {
		emulator, known := emulators[s.name]
		if !known {
			t.Errorf("no emulator for %s", s.name)
			continue
		}
		i := slices.IndexFunc(packages, func(p builtPackage) bool { return slices.Contains(s.archs, p.arch) })
		if i >= 0 {
			t.Run(s.name, func(t *testing.T) {
				needs(t, emulator)
				path := filepath.Join(t.TempDir(), "hwrngd")
				kit.WriteFile(t, path, packages[i].data["usr/sbin/hwrngd"].data, 0o755)
				p := emulated{t, append(slices.Clone(emulator), path)}
				// The mark of a version before the release is ~ in an .ipk.
				p.try(strings.ReplaceAll(packages[i].control["Version"], "~", "-"))
			})
		}
		if os.Getenv("HWRNGD_OPENWRT") == "all" {
			if i < 0 {
				t.Errorf("no package for %s", s.name)
			}
			t.Run(s.name+"-full", func(t *testing.T) {
				needs(t, emulator)
				path := filepath.Join(t.TempDir(), "hwrngd")
				build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=1.2.3", "-o", path, tree+"/cmd/hwrngd")
				build.Env = append(append(os.Environ(), "CGO_ENABLED=0"), s.env...)
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				p := emulated{t, append(slices.Clone(emulator), path)}
				p.try("1.2.3")
				p.audit()
			})
		}
	}
}

// needs skips a case where programs for 386 without an emulator do not run.
func needs(t *testing.T, emulator []string) {
	t.Helper()
	if len(emulator) == 0 && runtime.GOARCH != "amd64" && runtime.GOARCH != "386" {
		kit.Missing(t, "no emulator, and this machine is no x86")
	}
}
