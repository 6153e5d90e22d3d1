package pool

import "crypto/sha512"

const (
	// SeedBytes is the size of one conditioned seed, the output of SHA-512.
	SeedBytes = sha512.Size

	// excessBits is how much more min-entropy than output a vetted conditioning component needs
	// for full-entropy output: SP 800-90C (3rd draft, 2022), section 3.2.2.2, h_in >= n_out + 64.
	excessBits = 64
)

// Condition hashes raw, which holds minEntropy bits of min-entropy a byte, into seed and returns
// how many bits seed may be credited with: minEntropy times the length less 64, at most the 512
// bits of the seed and at least 0.
//
// SHA-512 unkeyed is a vetted conditioning component by SP 800-90B (January 2018), section
// 3.1.5.1.1.
func Condition(seed *[SeedBytes]byte, raw []byte, minEntropy float64) (creditBits int) {
	*seed = sha512.Sum512(raw)
	// Bounded while still a float, since what is outside an integer converts to anything. NaN is
	// not above zero.
	if bits := minEntropy*float64(len(raw)) - excessBits; bits > 0 {
		return int(min(bits, 8*SeedBytes))
	}
	return 0
}
