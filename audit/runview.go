package audit

import "math"

// runLaw has the moments of the number of runs of one value in a block of n = fips.BlockBits ideal bits.
type runLaw struct{ mean, variance, third float64 }

// runLaws are those of runs of exactly 1 to 5 bits and of 6 and more. Runs are cut at the ends of a block
// as in FIPS 140-2 (Change Notice 1), section 4.9.1. The mean of exactly k bits is (n-k+3)/2^(k+2), of
// k and more (n-k+2)/2^(k+1). Variance and third central moment are exact too, all being multiples of
// powers of 1/2; the tests recompute them bit by bit.
var runLaws = [6]runLaw{
	{2500.25, 2187.625, 1406.203125},
	{1250.0625, 1015.66015625, 615.23583984375},
	{625, 527.34375, 362.549560546875},
	{312.484375, 278.307861328125, 217.888458251953},
	{156.234375, 145.25, 124.959320068359},
	{156.21875, 140.355224609375, 112.250410079956},
}

// RunZ returns by how many standard deviations the number of runs of each length, zeros first, is above
// what an ideal source has. As in Counters the last length is 6 and more.
func (c *Counters) RunZ() [2][6]float64 {
	var z [2][6]float64
	if c.Blocks == 0 {
		return z
	}
	blocks := float64(c.Blocks)
	for value, lengths := range c.Runs {
		for i, n := range lengths {
			z[value][i] = (float64(n) - blocks*runLaws[i].mean) / math.Sqrt(blocks*runLaws[i].variance)
		}
	}
	return z
}

// tails returns the probabilities of n or more and of n or fewer runs in so many blocks. Runs being few,
// their number is skewed: of 6 bits and more, a block has 4.5 standard deviations too many ten times
// as often as too few.
func (l runLaw) tails(n int64, blocks float64) (more, fewer float64) {
	mean, variance, third := blocks*l.mean, blocks*l.variance, blocks*l.third
	// A whole number n stands for what lies within 1/2 of it.
	more, _ = skewedTails(float64(n)-0.5, mean, variance, third)
	_, fewer = skewedTails(float64(n)+0.5, mean, variance, third)
	return more, fewer
}
