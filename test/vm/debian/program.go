package debian

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Program says which program of a package is wanted, with the libraries that it needs.
type Program struct {
	Arch    string // Debian's name
	Suites  []string
	Package string
	File    string // its path when the package is installed, for example "/usr/sbin/rngd"
}

// Files are a program and what it needs to run, as paths of this machine.
type Files struct {
	Program   string
	Libraries map[string]string // by the path that each must have in the program's machine
}

// GetProgram returns a program from the cache, or downloads it with apt and puts it there.
func GetProgram(cache string, p Program) (*Files, error) {
	dir := filepath.Join(cache, "program-"+p.Package+"-"+p.Arch)
	if f, err := p.load(dir); err == nil {
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
	a, err := NewApt(work, p.Arch, p.Suites)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotThere, err)
	}
	root, got := filepath.Join(work, "root"), filepath.Join(work, "got")
	if err := a.UnpackAll(p.Package, root); err != nil {
		return nil, fmt.Errorf("%w: %s for %s: %w", ErrNotThere, p.Package, p.Arch, err)
	}
	if err := p.pick(root, got); err != nil {
		return nil, fmt.Errorf("program %s of the package %s for %s: %w", p.File, p.Package, p.Arch, err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(got, dir)); err != nil {
		return nil, err
	}
	return p.load(dir)
}

// A directory of the cache holds the program under its name, and below this directory all else at the
// paths that it must have.
const rest = "root"

// load reads a directory of the cache.
func (p *Program) load(dir string) (*Files, error) {
	f := &Files{Program: filepath.Join(dir, filepath.Base(p.File)), Libraries: map[string]string{}}
	if _, err := os.Stat(f.Program); err != nil {
		return nil, err
	}
	top := filepath.Join(dir, rest)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			f.Libraries[strings.TrimPrefix(path, top)] = path
		}
		return err
	})
	return f, err
}

// pick copies the program and all that it is linked to from the unpacked packages at root to dir.
func (p *Program) pick(root, dir string) error {
	program := filepath.Join(root, p.File)
	libraries, err := linked(root, program)
	if err != nil {
		return err
	}
	for to, from := range libraries {
		if err := copyFile(from, filepath.Join(dir, rest, to)); err != nil {
			return err
		}
	}
	return copyFile(program, filepath.Join(dir, filepath.Base(p.File)))
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}
