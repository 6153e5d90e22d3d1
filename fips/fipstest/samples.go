package fipstest

// G23 is raw samples for the repetition count test: total good samples of the
// given width, 8 bits or 1, with n equal ones from index 500 on and other values
// next to them.
func G23(width, n, total int) []byte {
	samples := goodSamples(width, total)
	for i := range n {
		samples[500+i] = samples[500]
	}
	samples[499] = samples[500] ^ 1
	if 500+n < total {
		samples[500+n] = samples[500] ^ 1
	}
	return samples
}

// G24 is raw samples for the adaptive proportion test: one window of good samples
// of the given width, 8 bits or 1, in which the first value occurs exactly n
// times, at indexes 0, 40, 80, ..., modulo the window; where one is taken, at the
// next free one. Other occurrences have their last bit flipped.
func G24(width, n, window int) []byte {
	samples := goodSamples(width, window)
	taken := make([]bool, window)
	for k := range n {
		i := 40 * k % window
		for taken[i] {
			i = (i + 1) % window
		}
		taken[i] = true
	}
	value := samples[0]
	for i := range samples {
		switch {
		case taken[i]:
			samples[i] = value
		case samples[i] == value:
			samples[i] ^= 1
		}
	}
	return samples
}

// goodSamples returns the start of G1 as n samples of 8 bits or 1.
func goodSamples(width, n int) []byte {
	data := S("hwrngd-good", n)
	if width == 8 {
		return data
	}
	samples := make([]byte, n)
	for i := range samples {
		samples[i] = Bit(data, i)
	}
	return samples
}
