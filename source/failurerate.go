package source

import "math"

// sticky are sources whose bits equal the one before with probability 0.5 + d, and the share of blocks
// of each that fails FIPS 140-2, by simulation (a test repeats it). Their min-entropy is
// -log2(0.5 + d) bits per bit. Biased sources, with ones of probability 0.5 + d, fail more often at the
// same min-entropy, so these are the worse explanation of a failure rate.
var sticky = [...]struct{ D, Rate float64 }{
	{0.0025, 0.0010},
	{0.005, 0.0037},
	{0.0075, 0.019},
	{0.01, 0.061},
	{0.0125, 0.172},
	{0.015, 0.325},
	{0.02, 0.777},
	{0.03, 0.998},
}

// MinEntropyCeiling is the most min-entropy, in bits per byte, that a source can claim which fails that
// share of its FIPS 140-2 blocks by design. It is a ceiling and no estimate: a source may fail few
// blocks or none and have next to no entropy.
func MinEntropyCeiling(failureRate float64) float64 {
	if failureRate <= sticky[0].Rate {
		return 8
	}
	for _, s := range sticky {
		if failureRate <= s.Rate {
			return -8 * math.Log2(0.5+s.D)
		}
	}
	return 0
}
