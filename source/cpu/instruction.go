package cpu

import (
	"slices"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// Instruction is what is known of one random-number instruction.
type Instruction struct {
	Name         string // as configured, such as "rdseed"
	Architecture string // as people call it, such as "x86"
	// MinEntropy is the default claim in bits per byte. See the package's documentation.
	MinEntropy float64
	Note       string // one line for people

	// tries is how often the instruction is executed for one number before its failure counts.
	tries int
}

const (
	seedClaim    = 4.0 // of numbers that each come from fresh noise
	stretchClaim = 1.0 // of numbers that share a seed
)

const unjudged = "; tests cannot see a dead noise source behind it"

// The limits of rdseed and rdrand are those of Intel's Digital Random Number Generator Software
// Implementation Guide, revision 2.1: section 5.2.1 gives RDRAND ten tries in a row, section 5.3.1.2
// gives RDSEED up to a hundred with a PAUSE between two. Ten is also what the Power ISA 3.0B, book I,
// Deliver A Random Number, holds adequate for darn. Arm's RNDR and RNDRRS answer only after "a reasonable period
// of time" (Arm Architecture Reference Manual, DDI 0487, FEAT_RNG); they get ten as well. PRNO's TRNG
// waits for its noise and cannot fail (z/Architecture Principles of Operation, SA22-7832).
var (
	rdseed = Instruction{"rdseed", "x86", seedClaim, "conditioned noise of the CPU" + unjudged, 100}
	rdrand = Instruction{"rdrand", "x86", stretchClaim, "DRBG in the CPU, many numbers for one seed" + unjudged, 10}
	rndrrs = Instruction{"rndrrs", "arm64", seedClaim, "DRBG in the CPU, reseeded for each number" + unjudged, 10}
	rndr   = Instruction{"rndr", "arm64", stretchClaim, "DRBG in the CPU, many numbers for one seed" + unjudged, 10}
	darn   = Instruction{"darn", "ppc64", seedClaim, "conditioned noise of the processor" + unjudged, 10}
	trng   = Instruction{"trng", "s390x", seedClaim, "conditioned noise of the crypto co-processor (PRNO)" + unjudged, 1}
)

// Instructions lists all of them, on each architecture the preferred one first.
var Instructions = []Instruction{rdseed, rdrand, rndrrs, rndr, darn, trng}

// lookup returns the instruction of that name.
func lookup(name string) (Instruction, bool) {
	i := slices.IndexFunc(Instructions, func(i Instruction) bool { return i.Name == name })
	if i < 0 {
		return Instruction{}, false
	}
	return Instructions[i], true
}

// draw executes an instruction once and stores what it gives in dst, which has the size of one number.
// It reports false if the CPU had none.
type draw func(dst []byte) bool

// maxSize is the size of the largest number, in bytes.
const maxSize = 32

// unit is an instruction of this program's architecture on the machine at hand.
type unit struct {
	Instruction
	size    int // bytes of one number
	draw    draw
	missing string // why it must not be executed, "" if it can be
}

// Finding is an instruction of this architecture, and whether this machine has it.
type Finding struct {
	Instruction
	Missing string // why it cannot be used, "" if it can
}

// Probe lists the instructions of this architecture, the preferred one first: none if hwrngd knows
// none. It executes none of them. An empty procfs leaves out what the kernel thinks of them.
func Probe(procfs linux.Procfs) []Finding {
	var found []Finding
	for _, u := range units(procfs) {
		found = append(found, Finding{u.Instruction, u.missing})
	}
	return found
}
