package ais31

// Probabilities that an ideal source, one of independent fair bits, fails one verdict. Those of T1
// to T4 are in package fips. The tests recompute all of them.
const (
	// chanceT0 is 1 - product of (1 - i/2^48) over i < 65,536.
	chanceT0 = 7.6292e-6

	// chanceT5 is the probability that a sum of 5000 fair bits is 2326 or less, or 2674 or
	// more. The differences of 5000 pairs of bits at one distance are independent and fair: as
	// edges between bits they form no cycle. And the shift is chosen by other bits.
	chanceT5 = 9.1443e-7

	// chanceT6a is that of a sum of 100,000 fair bits at least 2500 away from its mean,
	// chanceT6b that of 200,000 at least 2000 away: of two samples, one counted in reverse.
	chanceT6a = 2.592e-56
	chanceT6b = 3.8105e-19

	// chanceT7 is the probability that two samples of 100,000 fair bits give 15.13 or more, by
	// the law of both counts.
	chanceT7 = 1.0085e-4

	// chanceT8 is the probability that a normal variable with the mean and the standard deviation
	// of f, 8 and 0.002256, is 7.976 or less: 10.6 standard deviations. Mean and deviation are
	// exact, with the dependence between the distances; that f is nearly normal is known of
	// its middle only.
	chanceT8 = 9.939e-27

	// chanceA and chanceB are the probabilities that the procedures fail: two verdicts or more in
	// the first attempt, or one there and any in the second. The first attempt has exactly one
	// failure with the probabilities 1.577e-3 and 6.05e-4.
	chanceA = 6.731e-6
	chanceB = 5.184e-7
)
