package sp80090b

import (
	"math"
	"slices"
)

// The parameters of the compression estimate, SP 800-90B section 6.3.4.
const (
	blockBits     = 6          // b, step 1
	compressStart = 1000       // d, blocks that fill the dictionary, step 2
	sigmaFactor   = 0.5907     // c, step 5
	nearDistances = 1 << 12    // distances with a counter each
	negligible    = 0x1p-100   // a term that no longer changes a sum
	pairsOfValues = 1<<6 - 1.0 // values of a block but the likeliest
)

// compression is the compression estimate for binary symbols, SP 800-90B section 6.3.4,
// after Maurer: the mean logarithm of the distance back to the same block of six bits.
// The second result is false if there are too few bits.
func compression(b *bitString, stop stopper) (float64, bool) {
	blocks := b.n / blockBits
	v := blocks - compressStart
	if v <= 1 {
		return 0, false
	}
	var last [1 << blockBits]int // 1 + number of the last such block, 0 for none
	var near [nearDistances]int
	sum, squares := 0.0, 0.0
	for i := range blocks {
		x := b.at(i*blockBits) >> (64 - blockBits)
		distance := i + 1 - last[x]
		last[x] = i + 1
		if i < compressStart {
			continue
		}
		if distance < nearDistances {
			near[distance]++
			continue
		}
		bits := math.Log2(float64(distance))
		sum += bits
		squares += bits * bits
	}
	for distance, count := range near {
		if count > 0 {
			bits := math.Log2(float64(distance))
			sum += float64(count) * bits
			squares += float64(count) * bits * bits
		}
	}
	mean := sum / float64(v)
	variance := max(0, squares/float64(v-1)-mean*mean)
	mean -= z99 * sigmaFactor * math.Sqrt(variance) / math.Sqrt(float64(v))

	m := maurer{blocks: blocks}
	low, high := 1.0/(1<<blockBits), 1.0
	if !(m.mean(low) > mean) {
		return 1, true // no p fits: step 8
	}
	for {
		p := (low + high) / 2
		if p <= low || p >= high || stop.stopped() {
			return minEntropy(high) / blockBits, true
		}
		if m.mean(p) > mean {
			low = p
		} else {
			high = p
		}
	}
}

// maurer computes what the compression estimate expects of a number of blocks.
type maurer struct {
	blocks int
	logs   []float64 // log2 of the index, as far as needed
}

// mean returns the expected mean logarithm if the likeliest value of a block has
// probability p and all others the same one, SP 800-90B section 6.3.4 step 7.
func (m *maurer) mean(p float64) float64 {
	return m.share(p) + pairsOfValues*m.share((1-p)/pairsOfValues)
}

// share returns G(z), the part of the mean that a value of probability z has:
//
//	1/v sum(t = d+1..K) sum(u = 1..t) log2(u) F(z, t, u)
//	F(z, t, u) = z^2 (1-z)^(u-1) for u < t, z (1-z)^(t-1) for u = t
//
// for K blocks. The terms of the inner sum do not depend on t, so a term for u < t
// counts as often as there is a t.
func (m *maurer) share(z float64) float64 {
	v := float64(m.blocks - compressStart)
	power := 1.0           // (1-z)^(u-1)
	inner, last := 0.0, 0. // the sums for u < t and u = t
	for u := 2; u <= m.blocks; u++ {
		power *= 1 - z
		if power < negligible {
			break
		}
		if u >= len(m.logs) {
			m.grow(u)
		}
		term := m.logs[u] * power
		if u <= compressStart {
			inner += v * term
			continue
		}
		inner += float64(m.blocks-u) * term
		last += term
	}
	return z * (z*inner + last) / v
}

// grow extends the logarithms to u and beyond.
func (m *maurer) grow(u int) {
	size := min(m.blocks, 2*u+1<<12) + 1
	m.logs = slices.Grow(m.logs, size-len(m.logs))
	for i := len(m.logs); i < size; i++ {
		m.logs = append(m.logs, math.Log2(float64(i)))
	}
}
