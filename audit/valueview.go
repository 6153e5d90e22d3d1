package audit

import "math"

// ByteZ returns by how many standard deviations the number of bytes of each value, in the blocks
// sampled, is above what an ideal source has.
func (c *Counters) ByteZ() [256]float64 {
	var z [256]float64
	n := total(c.Sampled.Values[:])
	if n == 0 {
		return z
	}
	mean := float64(n) / 256
	for value, count := range c.Sampled.Values {
		z[value] = (float64(count) - mean) / math.Sqrt(mean*255/256)
	}
	return z
}

// ByteChiSquare returns Pearson's statistic of the byte values in the blocks sampled, with 255 degrees
// of freedom.
func (c *Counters) ByteChiSquare() float64 { return chiSquare(c.Sampled.Values[:]) }

// NibbleChiSquare returns Pearson's statistic of the values of 4 bits, with 15 degrees of freedom.
func (c *Counters) NibbleChiSquare() float64 { return chiSquare(c.Nibbles[:]) }

// chiSquare returns Pearson's statistic of cells that are equally likely, 0 of no data.
func chiSquare(cells []int64) float64 {
	n := total(cells)
	if n == 0 {
		return 0
	}
	mean := float64(n) / float64(len(cells))
	sum := 0.0
	for _, count := range cells {
		off := float64(count) - mean
		sum += off * off
	}
	return sum / mean
}

// total adds up counts.
func total(counts []int64) int64 {
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return sum
}
