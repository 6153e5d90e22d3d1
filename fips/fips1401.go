package fips

// LongRunBits1401 is the length in bits from which on a run is a long run for
// FIPS 140-1 (1994-01-11) section 4.11.1, and for test T4 of BSI's AIS 20/31.
const LongRunBits1401 = 34

// FIPS1401 holds the limits of FIPS 140-1 (1994-01-11), section 4.11.1, except
// that of the long run test, which counts other runs than Counts does: see
// Judge1401.
var FIPS1401 = Limits{
	// Passed if 9,654 < X < 10,346.
	Ones: Interval{9655, 10345},

	// Passed if 1.03 < X < 57.4, X = 16/5000 * sum - 5000, hence
	// 1,562,821.875 < sum < 1,580,437.5, and the sum is even.
	SumSquares: Interval{1562822, 1580436},

	Runs: [6]Interval{
		{2267, 2733},
		{1079, 1421},
		{502, 748},
		{223, 402},
		{90, 223},
		{90, 223}, // 6 and more
	},

	LongRuns: 0,
	Repeats:  0, // section 4.11.2, as FIPS 140-2
}

// Judge1401 returns the tests of FIPS 140-1 that the block with the counts c fails.
func Judge1401(block *[BlockBytes]byte, c *Counts) Failure {
	failed := FIPS1401.judge(c)
	if failed.Has(LongRun) && LongestRun(block) < LongRunBits1401 {
		failed &^= LongRun
	}
	return failed
}

// LongestRun returns the length in bits of the longest run in the block. It is
// slow: call it for the few blocks whose Counts have LongRuns.
func LongestRun(block *[BlockBytes]byte) int {
	longest := 0
	eachRun(block, func(length int) { longest = max(longest, length) })
	return longest
}
