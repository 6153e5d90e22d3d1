package fips

// Probabilities that a block of an ideal source fails a test by chance, with the
// limits of FIPS1401 and Judge1401. They are derived as those of FIPS 140-2 are, see
// ChanceMonobit and the constants after it, and the tests recompute them likewise.
const (
	chanceMonobit1401 = 1.026059e-6 // 2 * sum of C(20000, k) * 2^-20000 over k <= 9654
	chancePoker1401   = 1.036894e-6 // 3.0537e-7 below the limits, 7.3153e-7 above
	chanceLongRun1401 = 1.162290e-6 // the recurrence with runs of 34: 2^-34, q(33) = 2^-33

	// chanceRuns1401 is chanceRunsSum1401, the sum of the single probabilities of the
	// twelve intervals, less 0.0002e-6 for counts that leave two at once. That part
	// is by importance sampling, with run lengths drawn so that one interval is
	// missed every other time, and leaves an uncertainty of 0.0002e-6.
	chanceRuns1401    = 1.9998e-6
	chanceRunsSum1401 = 2.000054e-6

	// ChanceAny1401 is the probability that a block fails any of the five tests: their
	// sum, 5.37056e-6, less 0.0117e-6 for blocks that fail two. Of these 0.0082e-6
	// fail monobit, by simulation of blocks that do, and 0.0036e-6 poker and runs,
	// by importance sampling; the value is good to +- 0.0005e-6. Long and continuous
	// runs come with no other failure in less than 0.00002e-6 of all blocks.
	// 1 block in 186,600.
	ChanceAny1401 = 5.3589e-6
)

// Chance1401 returns the probability that a block of an ideal source fails the single
// test f of FIPS 140-1, and 0 if f is not one of Tests.
func Chance1401(f Failure) float64 {
	switch f {
	case Monobit:
		return chanceMonobit1401
	case Poker:
		return chancePoker1401
	case Runs:
		return chanceRuns1401
	case LongRun:
		return chanceLongRun1401
	case ContinuousRun:
		return ChanceContinuousRun // section 4.11.2, the same test
	}
	return 0
}
