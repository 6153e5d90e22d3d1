package linux

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Code is where the code and the constants of this program are in memory.
type Code []mapping

// Code finds the program's code. It needs the file smaps, which not every kernel has.
func (p Procfs) Code() (Code, error) {
	smaps, err := os.ReadFile(string(p) + "/self/smaps")
	if err != nil {
		return nil, err
	}
	return cleanMappings(string(smaps)), nil
}

// Forget takes the code out of this process' memory. What is used again comes back page by page, as a rule
// from the page cache. A start touches most of a program, a daemon at rest little of it, and the kernel can
// use pages that no process maps for something better.
func (c Code) Forget() error {
	var failed error
	for _, m := range c {
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED); errno != 0 {
			failed = errors.Join(failed, os.NewSyscallError("madvise", errno))
		}
	}
	return failed
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// cleanMappings returns the mappings of files, by the text of proc_pid_smaps(5), that nobody can write to
// and that hold nothing but what is in the file. Constants that a dynamic linker has adjusted are not among
// them: those would be lost.
func cleanMappings(smaps string) Code {
	var clean Code
	var at mapping
	readOnly := false
	for line := range strings.Lines(smaps) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		// A mapping begins with addresses, permissions, offset, device and inode.
		if start, end, isHead := strings.Cut(words[0], "-"); isHead && len(words) >= 5 {
			first, err1 := strconv.ParseUint(start, 16, strconv.IntSize)
			last, err2 := strconv.ParseUint(end, 16, strconv.IntSize)
			readOnly = err1 == nil && err2 == nil && strings.HasPrefix(words[1], "r-") && strings.HasSuffix(words[1], "p") && words[4] != "0"
			at = mapping{uintptr(first), uintptr(last)}
			continue
		}
		if words[0] == "Anonymous:" && words[1] == "0" && readOnly {
			clean = append(clean, at)
		}
	}
	return clean
}
