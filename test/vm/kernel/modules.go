package kernel

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is a directory below lib/modules. What depends on what is read from the modules
// themselves, since packages come without the index that depmod makes.
type tree struct {
	files   map[string]string // path of each module, by its name
	builtin map[string]bool
}

// module is a loadable module as the kernel takes it.
type module struct {
	name   string
	object []byte
}

// plain returns a module's name with underscores, which the kernel uses, while files may have dashes.
func plain(name string) string { return strings.ReplaceAll(name, "-", "_") }

// nameOf returns the name of the module in a file such as virtio-rng.ko.xz.
func nameOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".ko")
	return plain(name)
}

func readTree(dir string) (*tree, error) {
	t := &tree{files: map[string]string{}, builtin: map[string]bool{}}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".ko") {
			t.files[nameOf(path)] = path
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(dir, "modules.builtin"))
	if err != nil {
		return nil, err
	}
	for path := range strings.Lines(string(list)) {
		t.builtin[nameOf(strings.TrimSpace(path))] = true
	}
	return t, nil
}

// order returns these modules and all that they depend on, each after what it needs.
func (t *tree) order(names []string) ([]module, error) {
	var all []module
	done := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		if done[name] || t.builtin[name] {
			return nil
		}
		done[name] = true
		path, ok := t.files[name]
		if !ok {
			return fmt.Errorf("no module %s, nor is it built in", name)
		}
		object, err := readModule(path)
		if err != nil {
			return err
		}
		needs, err := depends(object)
		if err != nil {
			return fmt.Errorf("module %s: %w", path, err)
		}
		for _, need := range needs {
			if err := visit(plain(need)); err != nil {
				return err
			}
		}
		all = append(all, module{name, object})
		return nil
	}
	for _, name := range names {
		if err := visit(plain(name)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readModule reads a module, which newer packages compress.
func readModule(path string) ([]byte, error) {
	if !strings.HasSuffix(path, ".xz") {
		return os.ReadFile(path)
	}
	object, err := exec.Command("xz", "-dc", path).Output()
	if err != nil {
		return nil, fmt.Errorf("xz -dc %s: %w", path, err)
	}
	return object, nil
}

// depends returns the names in the field "depends" of a module's section .modinfo, which holds
// "key=value" strings that each end in a zero byte.
func depends(object []byte) ([]string, error) {
	file, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, err
	}
	section := file.Section(".modinfo")
	if section == nil {
		return nil, fmt.Errorf("has no section .modinfo")
	}
	info, err := section.Data()
	if err != nil {
		return nil, err
	}
	for field := range bytes.SplitSeq(info, []byte{0}) {
		if list, ok := bytes.CutPrefix(field, []byte("depends=")); ok {
			return strings.FieldsFunc(string(list), func(r rune) bool { return r == ',' }), nil
		}
	}
	return nil, fmt.Errorf("says nothing about what it depends on")
}
