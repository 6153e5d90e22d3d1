package linux

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Procfs is a mounted procfs, such as Procfs("/proc").
type Procfs string

const randomSysctl = "sys/kernel/random"

// PoolSize returns the size of the kernel's entropy estimate in bits: 256 on kernels with the
// random generator of 5.18 (also in stable series), 4096 before.
func (p Procfs) PoolSize() (int, error) { return readInt(string(p), randomSysctl, "poolsize") }

// EntropyAvailable returns the kernel's estimate in bits.
func (p Procfs) EntropyAvailable() (int, error) {
	return readInt(string(p), randomSysctl, "entropy_avail")
}

// FIPSEnabled tells whether the kernel runs in its FIPS mode.
func (p Procfs) FIPSEnabled() bool {
	n, err := readInt(string(p), "sys/crypto/fips_enabled")
	return err == nil && n == 1
}

// KernelRelease returns the kernel's release, such as "6.1.0-28-amd64".
func (p Procfs) KernelRelease() (string, error) {
	return readAttribute(string(p), "sys/kernel/osrelease")
}

// CommandLineOption returns the value of name=VALUE on the kernel's command line, the last one if
// there are several, and whether it is there. The name has underscores, no dashes.
func (p Procfs) CommandLineOption(name string) (value string, ok bool) {
	line, err := readAttribute(string(p), "cmdline")
	if err != nil {
		return "", false
	}
	for _, word := range words(line) {
		// The kernel takes - and _ in names for the same.
		if key, v, found := strings.Cut(word, "="); found && strings.ReplaceAll(key, "-", "_") == name {
			value, ok = v, true
		}
	}
	return value, ok
}

// CPUGenerators lists the random-number instructions of the CPU that the kernel may seed itself
// from, of "rdrand", "rdseed" (x86) and "rng" (arm64).
func (p Procfs) CPUGenerators() []string {
	flags, err := p.CPUFlags()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(flags, func(flag string) bool { return flag != "rdrand" && flag != "rdseed" && flag != "rng" })
}

// ProcessName returns the name of a process, "" if it is not there or cannot be seen.
func (p Procfs) ProcessName(pid int) string {
	name, err := readAttribute(string(p), strconv.Itoa(pid), "comm")
	if err != nil {
		return ""
	}
	return name
}

// KernelThread tells whether a kernel thread of that name runs, by a walk over all processes.
func (p Procfs) KernelThread(name string) bool {
	entries, err := os.ReadDir(string(p))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue
		}
		if comm, err := readAttribute(string(p), e.Name(), "comm"); err != nil || comm != name {
			continue
		}
		// Kernel threads have no command line; a user's process of the same name does.
		if cmdline, err := os.ReadFile(filepath.Join(string(p), e.Name(), "cmdline")); err == nil && len(cmdline) == 0 {
			return true
		}
	}
	return false
}
