package fips

// Probabilities that a block of an ideal source, 20,000 independent fair bits,
// fails a test by chance, with the limits of FIPS1402. Those of monobit, poker, long
// run and continuous run are exact to the digits given, and the tests recompute them.
const (
	// ChanceMonobit is 2 * sum of C(20000, k) * 2^-20000 over k <= 9725.
	// 1 block in 9,662.
	ChanceMonobit = 1.034970e-4

	// ChancePoker is the probability that 5000 nibbles of 16 equally likely
	// values have a sum of squared frequencies outside the limits: the
	// coefficient of z^5000 in (sum over k of 312.5^k/k! z^k t^(k^2))^16, summed
	// over those powers of t and divided by its value at t = 1. It is 4.9119e-5
	// below and 5.0618e-5 above. 1 block in 10,026.
	ChancePoker = 9.973661e-5

	// ChanceLongRun is q(19999) for the recurrence
	// q(i) = q(i-1) + 2^-26 * (1 - q(i-26)), q(25) = 2^-25, q = 0 before:
	// the probability of 25 bits in a row, among 19,999, that equal the bit
	// before them. 1 block in 3,360.
	ChanceLongRun = 2.976214e-4

	// ChanceContinuousRun is 1 - (1-2^-32)^625, for a block with a word before
	// it. 1 block in 6.9 million.
	ChanceContinuousRun = 1.455191e-7

	// ChanceRuns is the probability of a count outside any of the twelve
	// intervals. chanceRunsSum, the sum of the single probabilities, is exact, by
	// dynamic programming over the bits of a block. Counts that leave two
	// intervals at once, 0.8e-6 by simulation of 40 million blocks, have been
	// subtracted; that leaves an uncertainty of one in the last digit.
	// 1 block in 3,347.
	ChanceRuns = 2.988e-4

	// ChanceAny is the probability that a block fails any test: the sum of the
	// five (with chanceRunsSum), 8.0057e-4, less 5.5e-6 for blocks that fail more
	// than one test or interval. The overlap is from the same simulation, which
	// saw 31,760 failed blocks, 7.940e-4 +- 0.045e-4; the value is good to
	// +- 0.004e-4. 1 block in 1,258.
	ChanceAny = 7.950e-4

	chanceRunsSum = 2.995654e-4
)

// Chance returns the probability that a block of an ideal source fails the single
// test f, and 0 if f is not one of Tests.
func (f Failure) Chance() float64 {
	switch f {
	case Monobit:
		return ChanceMonobit
	case Poker:
		return ChancePoker
	case Runs:
		return ChanceRuns
	case LongRun:
		return ChanceLongRun
	case ContinuousRun:
		return ChanceContinuousRun
	}
	return 0
}
