//go:build amd64 || 386

package cpu

import (
	"slices"

	"github.com/hwrngd/hwrngd/internal/linux"

	features "golang.org/x/sys/cpu"
)

// units lists RDSEED (CPUID.(EAX=07H,ECX=0H):EBX bit 18) and RDRAND (CPUID.01H:ECX bit 30, Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 2).
func units(procfs linux.Procfs) []unit {
	flags, err := procfs.CPUFlags()
	missing := func(name string, has bool) string {
		switch {
		case !has:
			return "the CPU does not have it, says CPUID"
		case err == nil && !slices.Contains(flags, name):
			return "the CPU has it, but the kernel does not list it in cpuinfo: switched off, or it failed the kernel's test"
		}
		return ""
	}
	return []unit{
		{rdseed, wordSize, drawRDSEED, missing(rdseed.Name, features.X86.HasRDSEED)},
		{rdrand, wordSize, drawRDRAND, missing(rdrand.Name, features.X86.HasRDRAND)},
	}
}
