package cpu

import (
	"encoding/binary"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// hwcap2RNG is HWCAP2_RNG of arch/arm64/include/uapi/asm/hwcap.h: every CPU of the machine has FEAT_RNG.
const hwcap2RNG = 1 << 16

// units lists the registers of FEAT_RNG. Linux lets programs read them where they exist.
func units(linux.Procfs) []unit {
	missing := ""
	if features, err := linux.HWCAP2(); err != nil {
		missing = "unknown whether the CPU has it: " + err.Error()
	} else if features&hwcap2RNG == 0 {
		missing = "the CPU does not have it, says AT_HWCAP2"
	}
	return []unit{
		{rndrrs, 8, drawRNDRRS, missing},
		{rndr, 8, drawRNDR, missing},
	}
}

func drawRNDRRS(dst []byte) bool {
	number, ok := executeRNDRRS()
	binary.LittleEndian.PutUint64(dst, number)
	return ok
}

func drawRNDR(dst []byte) bool {
	number, ok := executeRNDR()
	binary.LittleEndian.PutUint64(dst, number)
	return ok
}

// executeRNDRRS reads the register RNDRRS once.
func executeRNDRRS() (number uint64, ok bool)

// executeRNDR reads the register RNDR once.
func executeRNDR() (number uint64, ok bool)
