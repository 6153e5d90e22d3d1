package debian

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Root says which root file system is wanted, with a whole system that boots.
type Root struct {
	Name     string // of its file in the cache
	Arch     string // Debian's name
	Suites   []string
	Packages []string
}

// ErrNotThere means that packages, or what unpacks them, cannot be had.
var ErrNotThere = errors.New("packages cannot be had")

// Get returns the path of the root file system as a tar archive, which it makes if the cache has
// none. It needs root.
func Get(cache string, r Root) (string, error) {
	path := filepath.Join(cache, r.Name+"-"+r.Arch+".tar")
	// Beside the archive lies what it was made of. It is written last.
	wish := strings.Join(append(r.Packages, Sources(r.Arch, r.Suites)), "\n")
	if made, err := os.ReadFile(path + ".of"); err == nil && string(made) == wish {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	if err := os.RemoveAll(path + ".of"); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, "root.tar")
	if err := r.make(made); err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrNotThere, r.Name, err)
	}
	if err := os.Rename(made, path); err != nil {
		return "", err
	}
	return path, os.WriteFile(path+".of", []byte(wish), 0o644)
}

// make runs mmdebstrap. Nobody reads documentation in a test's machine.
func (r *Root) make(path string) error {
	cmd := exec.Command("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--architectures="+r.Arch,
		"--include="+strings.Join(r.Packages, ","), "--aptopt=Acquire::Languages \"none\"", "--aptopt=Acquire::Retries \"3\"",
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
		"", path, "-")
	cmd.Stdin = strings.NewReader(Sources(r.Arch, r.Suites))
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mmdebstrap: %w\n%s", err, out)
	}
	return nil
}

// Unpack makes a directory of an archive that Get returned.
func Unpack(path, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return Run("tar", "-C", dir, "-xf", path)
}

// Disk makes a disk image with the directory as its root file system.
func Disk(dir, path string, mebibytes int) error {
	return Run("mke2fs", "-q", "-t", "ext4", "-d", dir, path, fmt.Sprintf("%dM", mebibytes))
}
