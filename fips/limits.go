package fips

// Interval is a closed interval of allowed counts.
type Interval struct{ Min, Max int64 }

// Contains reports whether n lies in the interval, its ends included.
func (i Interval) Contains(n int64) bool { return i.Min <= n && n <= i.Max }

// Limits holds the counts with which one block passes.
type Limits struct {
	Ones       Interval    // one bits
	SumSquares Interval    // sum of the squared nibble counts
	Runs       [6]Interval // runs of 1 to 5 and of 6 or more bits, for each value
	LongRuns   int         // runs of LongRunBits and more that are tolerated
	Repeats    int         // repeated 32-bit words that are tolerated
}

// FIPS1402 holds the limits of FIPS 140-2, Change Notice 1 of 2001-10-10.
var FIPS1402 = Limits{
	// Section 4.9.1, monobit test: passed if 9,725 < X < 10,275.
	Ones: Interval{9726, 10274},

	// Section 4.9.1, poker test: passed if 2.16 < X < 46.17, where
	// X = 16/5000 * sum - 5000, hence 1,563,175 < sum < 1,576,928.125. The sum
	// is even, because the nibble counts add up to an even number, so these are
	// the outermost sums that pass: X = 2.1632 and X = 46.1696.
	SumSquares: Interval{1563176, 1576928},

	// Section 4.9.1, runs test, table of required intervals; they hold for
	// runs of zeros and for runs of ones.
	Runs: [6]Interval{
		{2315, 2685},
		{1114, 1386},
		{527, 723},
		{240, 384},
		{103, 209},
		{103, 209}, // 6 and more
	},

	// Section 4.9.1, long runs test: passed if there is no run of 26 or more.
	LongRuns: 0,

	// Section 4.9.2, continuous random number generator test: each generated
	// block of n bits, here 32, is compared with the one before it, and the
	// test fails if the two are equal.
	Repeats: 0,
}

// Judge returns the tests that a block with the counts c fails. The limits are
// for a single block: sums over several blocks cannot be judged.
func (l Limits) Judge(c *Counts) Failure { return l.judge(c) }

// judge has a pointer receiver to spare Check a copy of the limits.
func (l *Limits) judge(c *Counts) Failure {
	var failed Failure
	if !l.Ones.Contains(int64(c.Ones)) {
		failed |= Monobit
	}
	if !l.SumSquares.Contains(c.SumSquares()) {
		failed |= Poker
	}
	for i, runs := range l.Runs {
		if !runs.Contains(int64(c.Runs[0][i])) || !runs.Contains(int64(c.Runs[1][i])) {
			failed |= Runs
			break
		}
	}
	if c.LongRuns > l.LongRuns {
		failed |= LongRun
	}
	if c.Repeats > l.Repeats {
		failed |= ContinuousRun
	}
	return failed
}
