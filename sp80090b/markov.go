package sp80090b

import (
	"math"
	"math/bits"
)

// markovLength is how many bits the likeliest sequence of the Markov estimate has, SP
// 800-90B section 6.3.3 step 3.
const markovLength = 128

// markov is the Markov estimate for binary symbols, SP 800-90B section 6.3.3.
func markov(b *bitString) float64 {
	var c markovCounts
	c.add(b)
	return c.estimate()
}

// markovCounts are counts of bits and of pairs of neighbours, by the first bit and by both.
type markovCounts struct {
	bits, ones               int
	pairs                    int
	zeros, zeroZero, oneZero int // pairs; zeros are those that begin with a 0
}

func (c *markovCounts) add(b *bitString) {
	c.bits += b.n
	c.ones += b.ones()
	c.pairs += b.n - 1
	b.blocks(func(start int, x uint64, n int) bool {
		next := b.at(start + 1)
		pairs := ^uint64(0) << (64 - uint(min(n, b.n-1-start)))
		c.zeros += bits.OnesCount64(^x & pairs)
		c.zeroZero += bits.OnesCount64(^x & ^next & pairs)
		c.oneZero += bits.OnesCount64(x & ^next & pairs)
		return true
	})
}

// estimate is the probability of the likeliest sequence of 128 bits under a first-order
// Markov model of the data, which is one of six.
func (c *markovCounts) estimate() float64 {
	// Logarithms of the probabilities; log2(0), minus infinity, rules a sequence out.
	p0 := math.Log2(float64(c.bits-c.ones) / float64(c.bits))
	p1 := math.Log2(float64(c.ones) / float64(c.bits))
	p00, p01 := transition(c.zeroZero, c.zeros)
	p10, p11 := transition(c.oneZero, c.pairs-c.zeros)
	likeliest := max(
		p0+127*p00,        // 00...0
		p0+64*p01+63*p10,  // 0101...01
		p0+p01+126*p11,    // 011...1
		p1+p10+126*p00,    // 100...0
		p1+64*p10+63*p01,  // 1010...10
		p1+127*p11,        // 11...1
		-markovLength*1.0, // min-entropy is 1 bit a bit at most
	)
	return 0 - likeliest/markovLength
}

// transition returns the logarithms of the probabilities of a 0 and of a 1 after a bit
// that came up in total times, zeros of them before a 0.
func transition(zeros, total int) (zero, one float64) {
	if total == 0 {
		return math.Inf(-1), math.Inf(-1)
	}
	return math.Log2(float64(zeros) / float64(total)), math.Log2(float64(total-zeros) / float64(total))
}
