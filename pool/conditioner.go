package pool

import (
	"crypto/sha512"

	"github.com/hwrngd/hwrngd/source"
)

const (
	// SeedBytes is the size of one conditioned seed, the output of SHA-512.
	SeedBytes = sha512.Size

	// excessBits is how much more min-entropy than output a vetted conditioning component needs
	// for full-entropy output: SP 800-90C (3rd draft, 2022), section 3.2.2.2, h_in >= n_out + 64.
	excessBits = 64
)

// Part is what one source contributes to a seed.
type Part struct {
	Raw        []byte
	MinEntropy float64      // bits a byte
	Noise      source.Noise // parts of the same noise are not independent
}

// Condition hashes the parts, one after the other, into seed and returns how many bits seed may be
// credited with: the min-entropy of the parts less 64, at most the 512 bits of the seed and at least
// 0. Of parts that share their noise only the one with most min-entropy counts.
//
// SHA-512 unkeyed is a vetted conditioning component by SP 800-90B (January 2018), section
// 3.1.5.1.1. The min-entropies of independent sources add up by SP 800-90C (3rd draft, 2022), section
// 2.3. A part that is worth nothing, or whose maker means harm but cannot see the others, takes
// nothing away from them.
func Condition(seed *[SeedBytes]byte, parts ...Part) (creditBits int) {
	h := sha512.New()
	for _, p := range parts {
		h.Write(p.Raw)
	}
	h.Sum(seed[:0])
	var bits float64
	for _, b := range counted(parts) {
		bits += b
	}
	// Bounded while still a float, since what is outside an integer converts to anything. NaN is
	// not above zero.
	if bits -= excessBits; bits > 0 {
		return int(min(bits, 8*SeedBytes))
	}
	return 0
}

// counted returns the bits of min-entropy of each part that count, 0 or more.
func counted(parts []Part) []float64 {
	bits := make([]float64, len(parts))
	best := make(map[source.Noise]int, len(parts)) // the part that counts
	for i, p := range parts {
		worth := min(p.MinEntropy, 8) * float64(len(p.Raw))
		if !(worth > 0) { // nor if it is no number
			continue
		}
		if before, ok := best[p.Noise]; ok {
			if worth <= bits[before] {
				continue
			}
			bits[before] = 0
		}
		best[p.Noise], bits[i] = i, worth
	}
	return bits
}

// shares splits the credit of a seed among its parts, in proportion to what counted. The sum is the
// credit.
func shares(credit int, parts []Part) []int {
	bits := counted(parts)
	var sum float64
	for _, b := range bits {
		sum += b
	}
	split := make([]int, len(parts))
	left, most := credit, 0
	for i, b := range bits {
		if sum > 0 {
			split[i] = int(float64(credit) * (b / sum))
		}
		left -= split[i]
		if b > bits[most] {
			most = i
		}
	}
	if len(split) > 0 {
		split[most] += left
	}
	return split
}
