package sp80090b

import "math"

// collision is the collision estimate for binary symbols, SP 800-90B section 6.3.2.
func collision(b *bitString) float64 { return collisionEstimate(collisionPieces(b)) }

// collisionPieces cuts bits into the shortest pieces that hold a value twice, and counts
// them: two equal bits, or two different ones and the next.
func collisionPieces(b *bitString) (twos, threes int) {
	for i := 0; i < b.n-1; {
		x := b.at(i)
		// 42 bits are 14 pieces of three bits at most, all within x.
		end := min(i+42, b.n-1)
		for i < end {
			three := int((x ^ x<<1) >> 63)
			if three != 0 && i == b.n-2 {
				i = b.n // the last piece is not complete
				break
			}
			threes += three
			twos += 1 - three
			x <<= 2 + uint(three)
			i += 2 + three
		}
	}
	return twos, threes
}

// collisionEstimate is the estimate of so many pieces of two and of three bits. Their mean
// length falls with the probability p of the likelier value. With the function F of
// Appendix G.1.1 for two values, the equation of step 7 comes down to mean = 2 + 2p(1-p).
func collisionEstimate(twos, threes int) float64 {
	pieces := float64(twos + threes)
	sum := float64(2*twos + 3*threes)
	mean := sum / pieces
	// The sample variance; rounding must not turn nothing into less.
	deviation := math.Sqrt(max(0, (float64(4*twos+9*threes)-sum*mean)/(pieces-1)))
	mean = max(2, mean-z99*deviation/math.Sqrt(pieces))
	if mean >= 2.5 {
		return 1 // no p fits: step 8
	}
	return minEntropy(0.5 + math.Sqrt(1.25-0.5*mean))
}
