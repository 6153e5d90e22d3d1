// Package initramfs writes the archives that Linux unpacks into its first root file system.
package initramfs

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// The format is "newc": a header of 110 ASCII characters, thirteen hexadecimal numbers of eight
// digits after the magic, then the name with a zero byte and the data, each padded to four bytes
// (Linux, Documentation/driver-api/early-userspace/buffer-format.rst).
const (
	magic   = "070701"
	trailer = "TRAILER!!!"
	align   = 4
)

// Types of files, as in st_mode.
const (
	typeDir  = 0o040000
	typeFile = 0o100000
	typeChar = 0o020000
)

// Archive writes entries to a stream. Directories that an entry needs come by themselves. The
// first error sticks and is returned by Close.
type Archive struct {
	w     io.Writer
	inode int
	dirs  map[string]bool
	err   error
}

// New returns an archive that writes to w.
func New(w io.Writer) *Archive { return &Archive{w: w, dirs: map[string]bool{".": true, "/": true}} }

// Dir adds an empty directory.
func (a *Archive) Dir(name string) {
	name = strings.TrimPrefix(path.Clean(name), "/")
	if name == "" || a.dirs[name] {
		return
	}
	a.dirs[name] = true
	a.parents(name)
	a.entry(name, typeDir|0o755, nil, 0, 0)
}

// File adds a file that anybody may execute.
func (a *Archive) File(name string, data []byte) {
	a.parents(name)
	a.entry(name, typeFile|0o755, data, 0, 0)
}

// Copy adds a file of this machine; links are followed.
func (a *Archive) Copy(name, from string) {
	data, err := os.ReadFile(from)
	if err != nil && a.err == nil {
		a.err = err
	}
	a.File(name, data)
}

// Char adds a character device.
func (a *Archive) Char(name string, major, minor int) {
	a.parents(name)
	a.entry(name, typeChar|0o600, nil, major, minor)
}

// Close ends the archive.
func (a *Archive) Close() error {
	a.entry(trailer, 0, nil, 0, 0)
	return a.err
}

func (a *Archive) parents(name string) { a.Dir(path.Dir(strings.TrimPrefix(name, "/"))) }

func (a *Archive) entry(name string, mode int, data []byte, major, minor int) {
	name = strings.TrimPrefix(name, "/")
	a.inode++
	fields := []int{a.inode, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(name) + 1, 0}
	head := []byte(magic)
	for _, f := range fields {
		head = fmt.Appendf(head, "%08X", f)
	}
	head = append(append(head, name...), 0)
	a.padded(head)
	a.padded(data)
}

// padded writes b and zero bytes up to a multiple of four.
func (a *Archive) padded(b []byte) {
	for _, part := range [][]byte{b, make([]byte, -len(b)&(align-1))} {
		if a.err == nil {
			_, a.err = a.w.Write(part)
		}
	}
}
