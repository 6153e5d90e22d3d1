package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hwrngd/hwrngd/test/vm/initramfs"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// goarch maps Debian's names of architectures to what go build takes.
var goarch = map[string][]string{
	"amd64":  {"GOARCH=amd64"},
	"arm64":  {"GOARCH=arm64"},
	"armhf":  {"GOARCH=arm", "GOARM=7"},
	"mipsel": {"GOARCH=mipsle", "GOMIPS=softfloat"},
	"s390x":  {"GOARCH=s390x"},
}

var builds sync.Map // of path by package and architecture

// build compiles one of our programs, once for each architecture, and returns its path.
func build(t *testing.T, pkg, arch string) string {
	t.Helper()
	path := filepath.Join(scratch, filepath.Base(pkg)+"-"+arch)
	once, _ := builds.LoadOrStore(path, sync.OnceValues(func() (string, error) {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, pkg)
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), goarch[arch]...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}))
	if out, err := once.(func() (string, error))(); err != nil {
		t.Fatalf("build %s for %s: %v\n%s", pkg, arch, err, out)
	}
	return path
}

const module = "github.com/hwrngd/hwrngd"

// Paths inside the machine.
const (
	daemonPath = "/sbin/hwrngd"
	modulesDir = "/modules"
)

// image writes the machine's root file system to a file in dir and returns its path.
func image(t *testing.T, dir string, k *kernel.Files, arch string, programs []program) string {
	t.Helper()
	path := filepath.Join(dir, "initrd")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	a := initramfs.New(file)
	a.Char("dev/console", 5, 1)
	a.Char("dev/null", 1, 3)
	a.Copy("init", build(t, module+"/test/vm/init", arch))
	a.Copy(daemonPath, build(t, module+"/cmd/hwrngd", arch))
	a.Dir("etc")
	for _, m := range k.Modules {
		a.Copy(filepath.Join(modulesDir, kernel.ModuleName(m)), m)
	}
	for _, p := range programs {
		p.install(t, a)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// program is one of Debian's, for a machine of this machine's architecture.
type program struct {
	path   string // inside the machine
	binary string // here
	libs   string // a directory of its own libraries, "" if it needs none
}

// install puts the program into the image, with the libraries that it is linked to.
func (p program) install(t *testing.T, a *initramfs.Archive) {
	t.Helper()
	cmd := exec.Command("ldd", p.binary)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+p.libs)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ldd %s: %v", p.binary, err)
	}
	// "libc.so.6 => /lib/libc.so.6 (0x...)", the loader without the first part, the vDSO without a path.
	for line := range strings.Lines(string(out)) {
		for _, word := range strings.Fields(line) {
			if !strings.HasPrefix(word, "/") {
				continue
			}
			target := word
			if p.libs != "" && strings.HasPrefix(word, p.libs) {
				target = filepath.Join("/lib", filepath.Base(word))
			}
			a.Copy(target, word)
		}
	}
	a.Copy(p.path, p.binary)
}

// unpack gets a program out of a Debian package, without installing it.
func unpack(t *testing.T, pkg, file string) string {
	t.Helper()
	cmd := exec.Command("../need.sh", "--unpack", pkg, file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		missing(t, "no %s of the Debian package %s: %v", file, pkg, err)
	}
	return strings.TrimSpace(string(out))
}
