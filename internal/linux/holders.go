package linux

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// holder is a process that has a file open.
type holder struct {
	pid  int
	name string // of the program, "" if it cannot be told
}

func (h holder) String() string {
	if h.name == "" {
		return fmt.Sprintf("process %d", h.pid)
	}
	return fmt.Sprintf("%s (process %d)", h.name, h.pid)
}

// deviceHolder finds who else has the device open: a process, which may be this one by another
// descriptor. Only root sees the files of other users' processes.
func (p Procfs) deviceHolder(d *Device) (h holder, found bool) {
	entries, err := os.ReadDir(string(p))
	if err != nil {
		return holder{}, false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join(string(p), e.Name(), "fd")
		files, _ := os.ReadDir(dir) // may be forbidden, or the process has ended
		for _, f := range files {
			if pid == os.Getpid() && f.Name() == strconv.Itoa(d.fd) {
				continue
			}
			path := filepath.Join(dir, f.Name())
			// A stat of anything else could wait, for a server of files that does not answer.
			if target, err := os.Readlink(path); err != nil || !strings.HasPrefix(target, "/dev/") {
				continue
			}
			if open, err := StatNode(path); err != nil || !open.sameDevice(d.node) {
				continue
			}
			name, _ := readAttribute(string(p), e.Name(), "comm")
			return holder{pid, name}, true
		}
	}
	return holder{}, false
}

// sameDevice tells whether both are nodes of one device. A container has its own node of a device; only
// pseudo terminals (136 to 143 of Documentation/admin-guide/devices.txt) have numbers that mean
// something else in each mount of devpts.
func (n Node) sameDevice(o Node) bool {
	if n.Same(o) {
		return true
	}
	pty := n.Major >= 136 && n.Major <= 143
	return n.Type == CharDevice && o.Type == CharDevice && n.Major == o.Major && n.Minor == o.Minor && !pty
}
