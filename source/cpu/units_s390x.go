package cpu

import (
	"github.com/hwrngd/hwrngd/internal/linux"

	features "golang.org/x/sys/cpu"
)

// Numbers of z/Architecture Principles of Operation, SA22-7832. Bit 0 is the most significant one.
const (
	facilityMSA5 = 57  // message-security-assist extension 5, with the instruction PRNO
	functionTRNG = 114 // PRNO-TRNG
)

// units lists the function TRNG of PRNO.
func units(linux.Procfs) []unit {
	missing := ""
	switch {
	case !features.S390X.HasSTFLE || facilities()&(1<<(63-facilityMSA5)) == 0:
		missing = "the CPU does not have PRNO, says STFLE"
	case !hasTRNG():
		missing = "the CPU's PRNO does not have the function TRNG, says its query"
	}
	return []unit{{trng, maxSize, drawTRNG, missing}}
}

func hasTRNG() bool {
	var functions [16]byte
	queryPRNO(&functions)
	return functions[functionTRNG/8]&(0x80>>(functionTRNG%8)) != 0
}

func drawTRNG(dst []byte) bool {
	executeTRNG(&dst[0], len(dst))
	return true
}

// facilities returns the first 64 facility bits (STFLE).
func facilities() uint64

// queryPRNO stores which functions PRNO has.
//
//go:noescape
func queryPRNO(functions *[16]byte)

// executeTRNG stores n bytes of conditioned entropy at dst.
//
//go:noescape
func executeTRNG(dst *byte, n int)
