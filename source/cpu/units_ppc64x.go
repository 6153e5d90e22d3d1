//go:build ppc64 || ppc64le

package cpu

import (
	"encoding/binary"
	"math"

	"github.com/hwrngd/hwrngd/internal/linux"

	features "golang.org/x/sys/cpu"
)

// units lists darn, which needs the kernel's leave: PPC_FEATURE2_DARN of AT_HWCAP2.
func units(linux.Procfs) []unit {
	missing := ""
	if !features.PPC64.HasDARN {
		missing = "the CPU does not have it, or the kernel does not allow it, says AT_HWCAP2"
	}
	return []unit{{darn, 8, drawDARN, missing}}
}

// drawDARN takes all ones for a failure (Power ISA 3.0B, book I, Deliver A Random Number).
func drawDARN(dst []byte) bool {
	number := executeDARN()
	binary.LittleEndian.PutUint64(dst, number)
	return number != math.MaxUint64
}

// executeDARN executes darn once, for a conditioned number of 64 bits (L is 1).
func executeDARN() uint64
