package linux

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// architectures is every GOARCH that Go has for Linux.
var architectures = []string{
	"386", "amd64", "arm", "arm64", "loong64", "mips", "mipsle", "mips64", "mips64le",
	"ppc64", "ppc64le", "riscv64", "s390x",
}

// TestEveryArchitecture type-checks this package and ioctl_test.go, with its assertions on ioctl
// numbers and struct layout, for every architecture. It does so from source, without the standard
// library's function bodies: a real cross build of the standard library takes most of a minute
// for each.
func TestEveryArchitecture(t *testing.T) {
	goroot, unixDir := sources(t)
	for _, arch := range architectures {
		t.Run(arch, func(t *testing.T) {
			c := newChecker(arch, goroot, unixDir)
			if c.sizes == nil {
				t.Fatalf("go/types knows no sizes for %s", arch)
			}
			if err := c.checkHere(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCheckerFindsWrongNumbers proves that the test above can fail: amd64's number put into an
// assertion for mips is an error.
func TestCheckerFindsWrongNumbers(t *testing.T) {
	goroot, unixDir := sources(t)
	c := newChecker("mips", goroot, unixDir)
	src := "package linux\nimport \"golang.org/x/sys/unix\"\nvar _ = [1]int{}[unix.RNDADDENTROPY-0x40085203]\n"
	f, err := parser.ParseFile(c.fset, "wrong.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.config(false).Check("wrong", c.fset, []*ast.File{f}, nil); err == nil {
		t.Error("a wrong ioctl number went unnoticed")
	} else if !strings.Contains(err.Error(), "index") {
		t.Errorf("unexpected complaint: %v", err)
	}
}

// sources asks the go command where the standard library and x/sys are.
func sources(t *testing.T) (goroot, unixDir string) {
	t.Helper()
	if testing.Short() || raceDetector {
		t.Skip("reads a good part of the standard library once for each architecture")
	}
	ask := func(args ...string) string {
		out, err := exec.Command("go", args...).Output()
		if err != nil {
			t.Skipf("go %s: %v", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	return ask("env", "GOROOT"), ask("list", "-f", "{{.Dir}}", "golang.org/x/sys/unix")
}

// checker imports packages from source for one architecture.
type checker struct {
	fset            *token.FileSet
	build           build.Context
	sizes           types.Sizes
	goroot, unixDir string
	have            map[string]*types.Package
}

func newChecker(arch, goroot, unixDir string) *checker {
	c := &checker{
		fset: token.NewFileSet(), build: build.Default, sizes: types.SizesFor("gc", arch),
		goroot: goroot, unixDir: unixDir, have: map[string]*types.Package{"unsafe": types.Unsafe},
	}
	c.build.GOOS, c.build.GOARCH, c.build.CgoEnabled = "linux", arch, false
	c.build.BuildTags, c.build.ToolTags = nil, nil // no race detector
	return c
}

func (c *checker) config(declarationsOnly bool) *types.Config {
	return &types.Config{Importer: c, Sizes: c.sizes, IgnoreFuncBodies: declarationsOnly}
}

// Import implements [types.Importer].
func (c *checker) Import(path string) (*types.Package, error) {
	if p := c.have[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(c.goroot, "src", path)
	if path == "golang.org/x/sys/unix" {
		dir = c.unixDir
	} else if strings.HasPrefix(path, "golang.org/") {
		dir = filepath.Join(c.goroot, "src/vendor", path)
	}
	files, err := c.parse(dir, nil)
	if err != nil {
		return nil, err
	}
	p, err := c.config(true).Check(path, c.fset, files, nil)
	c.have[path] = p
	return p, err
}

// checkHere checks this package, bodies and all, with the files of assertions.
func (c *checker) checkHere() error {
	files, err := c.parse(".", func(name string) bool { return strings.HasPrefix(name, "ioctl_") })
	if err != nil {
		return err
	}
	var all []error
	conf := c.config(false)
	conf.Error = func(err error) { all = append(all, err) }
	_, _ = conf.Check("linux", c.fset, files, nil)
	return errors.Join(all...)
}

// parse reads the files of a directory that belong to the architecture, of its tests only those
// that want accepts.
func (c *checker) parse(dir string, want func(name string) bool) ([]*ast.File, error) {
	p, err := c.build.ImportDir(dir, 0)
	if err != nil {
		return nil, fmt.Errorf("%s for %s: %w", dir, c.build.GOARCH, err)
	}
	names := p.GoFiles
	for _, name := range p.TestGoFiles {
		if want != nil && want(name) {
			names = append(names, name)
		}
	}
	var files []*ast.File
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(c.fset, filepath.Join(dir, name), src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
