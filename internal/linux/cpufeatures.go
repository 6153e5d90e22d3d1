package linux

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// atHWCAP2 is AT_HWCAP2 of include/uapi/linux/auxvec.h.
const atHWCAP2 = 26

// HWCAP2 returns the second word of CPU features that the kernel gave this process in its auxiliary
// vector (getauxval(3), AT_HWCAP2). Its bits differ from architecture to architecture; the kernel
// leaves out what not every CPU of the machine has.
func HWCAP2() (uint64, error) {
	vector, err := unix.Auxv()
	if err != nil {
		return 0, fmt.Errorf("read the auxiliary vector: %w", err)
	}
	for _, entry := range vector {
		if entry[0] == atHWCAP2 {
			return uint64(entry[1]), nil
		}
	}
	return 0, fmt.Errorf("read the auxiliary vector: no AT_HWCAP2 in it")
}

// CPUFlags lists the features of the first CPU as the kernel names them in cpuinfo. On x86 that is
// what CPUID says less what the kernel has switched off.
func (p Procfs) CPUFlags() ([]string, error) {
	text, err := readAttribute(string(p), "cpuinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		key, flags, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); key == "flags" || key == "Features" {
			return words(flags), nil
		}
	}
	return nil, &os.PathError{Op: "parse", Path: filepath.Join(string(p), "cpuinfo"), Err: fmt.Errorf("no line flags or Features")}
}
