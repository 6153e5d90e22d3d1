// Package kernel gets Debian kernels for virtual machines: the image, and the few modules that a
// test needs, in the order in which they load. Packages are unpacked, never installed, and what
// was got once stays in the user's cache.
package kernel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Spec says which kernel is wanted. The package's exact name changes with each point release, so
// it is found when it is needed.
type Spec struct {
	Version string         // as tests and results call it, for example "6.1"
	Arch    string         // Debian's name of the architecture
	Suites  []string       // releases to look in, as in a line of sources.list, without the component
	Package *regexp.Regexp // the whole name of the package; the newest match is taken
	Modules []string       // wanted, without what they depend on; a built-in one is fine
}

// String names the kernel in messages and results.
func (s Spec) String() string { return s.Version + " " + s.Arch }

// Files are a kernel that is ready to boot.
type Files struct {
	Package string   // the Debian package
	Release string   // what uname -r says
	Image   string   // path of the image
	Modules []string // paths of plain .ko files, in the order in which they load
}

// ErrNotThere means that no mirror has the kernel (any more), or none can be reached.
var ErrNotThere = errors.New("kernel cannot be had")

// Get returns the kernel from the cache, or downloads it with apt and puts it there.
func Get(cache string, s Spec) (*Files, error) {
	dir := filepath.Join(cache, "kernel-"+s.Version+"-"+s.Arch)
	if f, err := load(dir, s); err == nil {
		return f, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	name, root, err := download(work, s)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotThere, s, err)
	}
	got := filepath.Join(work, "kernel")
	if err := pick(root, got, name, s); err != nil {
		return nil, fmt.Errorf("kernel package %s: %w", name, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.Rename(got, dir); err != nil {
		return nil, err
	}
	return load(dir, s)
}

// A directory of the cache holds the image, the modules numbered in load order, and a manifest:
// the package, the release, and the modules that were asked for, one a line.
const manifest = "manifest"

// load reads a directory of the cache. It must have been made for the same wish.
func load(dir string, s Spec) (*Files, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 || lines[2] != strings.Join(s.Modules, " ") || !s.Package.MatchString(lines[0]) {
		return nil, fmt.Errorf("%s was made for another kernel or other modules", dir)
	}
	modules, err := filepath.Glob(filepath.Join(dir, "[0-9]*.ko")) // sorted
	if err != nil {
		return nil, err
	}
	return &Files{Package: lines[0], Release: lines[1], Image: filepath.Join(dir, "image"), Modules: modules}, nil
}

// pick copies what is needed of the unpacked package at root to dir.
func pick(root, dir, name string, s Spec) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	images, err := filepath.Glob(filepath.Join(root, "boot", "vmlinu[xz]-*"))
	if err != nil || len(images) != 1 {
		return fmt.Errorf("want one image below boot, found %d", len(images))
	}
	_, release, _ := strings.Cut(filepath.Base(images[0]), "-")
	tree, err := readTree(filepath.Join(root, "lib", "modules", release))
	if err != nil {
		return err
	}
	order, err := tree.order(s.Modules)
	if err != nil {
		return err
	}
	for i, m := range order {
		path := filepath.Join(dir, fmt.Sprintf("%02d-%s.ko", i, m.name))
		if err := os.WriteFile(path, m.object, 0o644); err != nil {
			return err
		}
	}
	if err := os.Rename(images[0], filepath.Join(dir, "image")); err != nil {
		return err
	}
	text := name + "\n" + release + "\n" + strings.Join(s.Modules, " ") + "\n"
	return os.WriteFile(filepath.Join(dir, manifest), []byte(text), 0o644)
}

// ModuleName returns the name of the module in a file of [Files].
func ModuleName(path string) string {
	_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".ko"), "-")
	return name
}
