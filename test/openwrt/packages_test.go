package openwrt

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// archive is what a package or a part of it holds, by path without a leading slash or dot.
type archive map[string]entry

type entry struct {
	mode os.FileMode // of a regular file, with its permissions, or ModeSymlink
	link string
	data string
}

// untar reads a tar archive that gzip has packed, of one or several parts.
func untar(t *testing.T, data string) archive {
	t.Helper()
	all := archive{}
	unzipped, err := gzip.NewReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	for reader := tar.NewReader(bytes.NewReader(text)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		e := entry{header.FileInfo().Mode().Perm(), header.Linkname, string(content)}
		if header.Typeflag == tar.TypeSymlink {
			e.mode = os.ModeSymlink
		}
		all[strings.TrimPrefix(path.Clean("/"+header.Name), "/")] = e
	}
}

// builtPackage is a package that build.sh has made.
type builtPackage struct {
	arch, kind string
	size       int
	control    map[string]string // fields of the description; a field that comes again is appended
	scripts    archive
	data       archive
}

// builtPackages reads the packages in $HWRNGD_OPENWRT_PACKAGES, of one kind (ipk or apk).
func builtPackages(t *testing.T, kind string) (all []builtPackage) {
	t.Helper()
	dir := os.Getenv("HWRNGD_OPENWRT_PACKAGES")
	names, _ := filepath.Glob(filepath.Join(dir, "hwrngd_*."+kind))
	if dir == "" || len(names) == 0 {
		kit.Missing(t, "$HWRNGD_OPENWRT_PACKAGES has to name a directory with .%s files, as 'make openwrt' makes it", kind)
	}
	for _, name := range names {
		text := kit.ReadFile(t, name)
		words := strings.SplitN(strings.TrimSuffix(filepath.Base(name), "."+kind), "_", 3)
		p := builtPackage{arch: words[2], kind: kind, size: len(text), control: map[string]string{}}
		outer := untar(t, text)
		fields, separator := outer[".PKGINFO"].data, " = "
		p.scripts, p.data = outer, archive{}
		if kind == "ipk" {
			p.scripts, p.data = untar(t, outer["control.tar.gz"].data), untar(t, outer["data.tar.gz"].data)
			fields, separator = p.scripts["control"].data, ": "
		}
		for line := range strings.Lines(fields) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), separator); ok {
				p.control[key] = strings.TrimSpace(p.control[key] + " " + value)
			}
		}
		if kind == "apk" {
			for name, e := range outer {
				if !strings.HasPrefix(name, ".") {
					p.data[name] = e
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// machineKind is what the head of an ELF file has for OpenWrt's names that begin with prefix.
type machineKind struct {
	prefix  string
	machine elf.Machine
	class   elf.Class
	order   elf.Data
}

var machines = []machineKind{
	{"aarch64_", elf.EM_AARCH64, elf.ELFCLASS64, elf.ELFDATA2LSB},
	{"arm_", elf.EM_ARM, elf.ELFCLASS32, elf.ELFDATA2LSB},
	{"i386_", elf.EM_386, elf.ELFCLASS32, elf.ELFDATA2LSB},
	{"mips64_", elf.EM_MIPS, elf.ELFCLASS64, elf.ELFDATA2MSB},
	{"mips_", elf.EM_MIPS, elf.ELFCLASS32, elf.ELFDATA2MSB},
	{"mipsel_", elf.EM_MIPS, elf.ELFCLASS32, elf.ELFDATA2LSB},
	{"riscv64_", elf.EM_RISCV, elf.ELFCLASS64, elf.ELFDATA2LSB},
	{"x86_64", elf.EM_X86_64, elf.ELFCLASS64, elf.ELFDATA2LSB},
}

// apkVersion is what apk takes for a version (apk-tools, doc/apk-package.5: package version).
var apkVersion = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*[a-z]?(_(alpha|beta|pre|rc|cvs|svn|git|hg|p)[0-9]*)*(-r[0-9]+)?$`)

// Each package says that it is for the machine in its name, and its program is; it needs no library.
func TestPackages(t *testing.T) {
	for _, kind := range []string{"ipk", "apk"} {
		for _, p := range builtPackages(t, kind) {
			name, arch, conflicts := p.control["Package"], p.control["Architecture"], p.control["Conflicts"]
			want := "rng-tools, haveged"
			if kind == "apk" {
				name, arch, conflicts = p.control["pkgname"], p.control["arch"], p.control["depend"]
				want = "!rng-tools !haveged"
			}
			if name != "hwrngd" || arch != p.arch || conflicts != want {
				t.Errorf("%s for %s: is %s for %s, conflicts %q", kind, p.arch, name, arch, conflicts)
			}
			if version := p.control["pkgver"]; kind == "apk" && !apkVersion.MatchString(version) {
				t.Errorf("apk for %s: apk takes no version %q", p.arch, version)
			}
			binary := p.data["usr/sbin/hwrngd"].data
			program, err := elf.NewFile(strings.NewReader(binary))
			if err != nil {
				t.Errorf("%s for %s: %v", kind, p.arch, err)
				continue
			}
			i := slices.IndexFunc(machines, func(m machineKind) bool { return strings.HasPrefix(p.arch, m.prefix) })
			if i < 0 || program.Machine != machines[i].machine || program.Class != machines[i].class || program.Data != machines[i].order {
				t.Errorf("%s for %s: the program is for %s %s %s", kind, p.arch, program.Machine, program.Class, program.Data)
			}
			for _, part := range program.Progs {
				if part.Type == elf.PT_INTERP {
					t.Errorf("%s for %s: the program needs a dynamic linker", kind, p.arch)
				}
			}
			t.Logf("REPORT %s %s: %.2f MB, program %.2f MB", kind, p.arch, float64(p.size)/1e6, float64(len(binary))/1e6)
		}
	}
}

// conffiles survive upgrades: opkg has a list of its own, OpenWrt's scripts read apk's from a file.
func TestPackageLists(t *testing.T) {
	for _, p := range builtPackages(t, "ipk") {
		if got := p.scripts["conffiles"].data; got != "/etc/config/hwrngd\n" {
			t.Errorf("%s: conffiles %q", p.arch, got)
		}
	}
	for _, p := range builtPackages(t, "apk") {
		const dir = "lib/apk/packages/hwrngd."
		if got := p.data[dir+"conffiles"].data; got != "/etc/config/hwrngd\n" {
			t.Errorf("%s: conffiles %q", p.arch, got)
		}
		if got := p.data[dir+"conffiles_static"].data; !strings.HasPrefix(got, "/etc/config/hwrngd ") || len(got) != len("/etc/config/hwrngd ")+64+1 {
			t.Errorf("%s: conffiles_static %q", p.arch, got)
		}
		var there []string
		for name := range p.data {
			if !strings.HasPrefix(name, dir) {
				there = append(there, "/"+name)
			}
		}
		slices.Sort(there)
		if listed := strings.Fields(p.data[dir+"list"].data); !slices.Equal(listed, there) {
			t.Errorf("%s: listed are %q, there are %q", p.arch, listed, there)
		}
	}
}

// The packages' scripts call OpenWrt's, with the package's name, and an upgrade is marked as one.
func TestPackageScripts(t *testing.T) {
	type run struct{ script, calls string }
	for kind, runs := range map[string][]run{
		"ipk": {{"postinst", "default_postinst hwrngd 1"}, {"prerm", "default_prerm hwrngd 1"}},
		"apk": {
			{".post-install", "default_postinst hwrngd"},
			{".pre-deinstall", "default_prerm hwrngd"},
			{".pre-upgrade", "default_prerm hwrngd 1"},
			{".post-upgrade", "default_postinst hwrngd 1"},
		},
	} {
		p := builtPackages(t, kind)[0]
		r := newRouter(t)
		for _, name := range []string{"default_postinst", "default_prerm"} {
			functions := r.read("/lib/functions.sh") + "\n" + name + "() { echo " + name + " $pkgname $PKG_UPGRADE; }\n"
			kit.WriteFile(t, r.root+"/lib/functions.sh", functions, 0o644)
		}
		for _, test := range runs {
			kit.WriteFile(t, r.root+"/script", p.scripts[test.script].data, 0o755)
			set := "unset PKG_UPGRADE"
			if kind == "ipk" {
				set = "export PKG_UPGRADE=1" // opkg does
			}
			if out := r.run("/bin/sh", "-c", set+"; exec /script"); out != test.calls+"\n" {
				t.Errorf("%s %s calls %q, want %q", kind, test.script, out, test.calls)
			}
		}
	}
}
