package debian

import (
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// linked returns the paths of all libraries that a program needs, among the unpacked packages at
// root, by the paths at which the program finds them: the dynamic loader at its own, all others in
// /lib.
func linked(root, program string) (map[string]string, error) {
	lib, err := readLibraries(root)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	var visit func(path string) error
	visit = func(path string) error {
		names, loader, err := needs(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if loader != "" {
			if all[loader], err = lib.find(filepath.Base(loader)); err != nil {
				return err
			}
		}
		for _, name := range names {
			to := filepath.Join("/lib", name)
			if all[to] != "" {
				continue
			}
			if all[to], err = lib.find(name); err != nil {
				return err
			}
			if err := visit(all[to]); err != nil {
				return err
			}
		}
		return nil
	}
	return all, visit(program)
}

// libraries finds libraries by their names: where packages are only unpacked, /lib and /usr/lib are
// two directories, and links may lead out of the root.
type libraries struct{ files, links map[string]string }

func readLibraries(root string) (*libraries, error) {
	l := &libraries{files: map[string]string{}, links: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !strings.Contains(d.Name(), ".so"):
		case d.Type().IsRegular():
			// A variant for certain processors lies deeper than the one for all.
			if other := l.files[d.Name()]; other == "" || len(path) < len(other) {
				l.files[d.Name()] = path
			}
		case d.Type() == fs.ModeSymlink:
			var target string
			target, err = os.Readlink(path)
			l.links[d.Name()] = filepath.Base(target)
		}
		return err
	})
	return l, err
}

func (l *libraries) find(name string) (string, error) {
	for _, n := range []string{name, l.links[name]} {
		if path := l.files[n]; path != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("no library %s", name)
}

// needs returns the libraries that a program or library names, and its dynamic loader if it names one.
func needs(path string) (names []string, loader string, err error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			text, err := io.ReadAll(p.Open())
			if err != nil {
				return nil, "", err
			}
			loader = strings.TrimRight(string(text), "\x00")
		}
	}
	names, err = file.ImportedLibraries()
	return names, loader, err
}
