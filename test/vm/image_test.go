package vm

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/debian"
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

// build compiles one of our programs, once for each architecture and edition, and returns its path.
func build(t *testing.T, pkg, arch string, e edition) string {
	t.Helper()
	path := filepath.Join(kit.Dir(), filepath.Base(pkg)+"-"+arch+"-"+e.tags)
	once, _ := builds.LoadOrStore(path, sync.OnceValues(func() (string, error) {
		cmd := exec.Command("go", "build", "-trimpath", "-tags", e.tags, "-ldflags", "-s -w", "-o", path, pkg)
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), goarch[arch]...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}))
	if out, err := once.(func() (string, error))(); err != nil {
		t.Fatalf("build %s for %s: %v\n%s", pkg, arch, err, out)
	}
	return path
}

// edition is a way to build the daemon.
type edition struct {
	name string
	tags string // of go build
}

// editions are all of them. Most cases take that without tags.
var editions = []edition{
	{name: "default"},
	{name: "minimal", tags: "minimal"},
}

const module = "github.com/hwrngd/hwrngd"

// Paths inside the machine.
const (
	daemonPath = "/sbin/hwrngd"
	modulesDir = "/modules"
)

// image writes the machine's root file system to a file in dir and returns its path.
func image(t *testing.T, dir string, k *kernel.Files, s setup) string {
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
	a.Copy("init", build(t, module+"/test/vm/init", s.kernel.Arch, edition{}))
	a.Copy(daemonPath, build(t, module+"/cmd/hwrngd", s.kernel.Arch, s.edition))
	a.Dir("etc")
	for _, m := range k.Modules {
		a.Copy(filepath.Join(modulesDir, kernel.ModuleName(m)), m)
	}
	libraries := map[string]string{} // several programs need the same ones
	for _, p := range s.programs {
		files := p.get(t, s.kernel.Arch)
		a.Copy(p.path, files.Program)
		maps.Copy(libraries, files.Libraries)
	}
	for to, from := range libraries {
		a.Copy(to, from)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// program is one of Debian's that a machine gets.
type program struct {
	path string // inside the machine
	pkg  string // Debian's package
	file string // path in the package
}

var programs sync.Map // of what was got, or why not, by package and architecture

// get returns the program for an architecture, with what it needs to run.
func (p program) get(t *testing.T, arch string) *debian.Files {
	t.Helper()
	get, _ := programs.LoadOrStore(p.pkg+" "+arch, sync.OnceValues(func() (*debian.Files, error) {
		return debian.GetProgram(cacheDir(t), debian.Program{Arch: arch, Suites: []string{"bookworm"}, Package: p.pkg, File: p.file})
	}))
	files, err := get.(func() (*debian.Files, error))()
	if errors.Is(err, debian.ErrNotThere) {
		kit.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}
