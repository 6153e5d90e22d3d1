package fips

import "strings"

// Failure is the set of tests that a block failed; zero means that it passed.
// Order and values are those of rngtest's result bits.
type Failure uint8

// The five tests.
const (
	Monobit       Failure = 1 << iota // number of ones
	Poker                             // frequencies of the 16 nibbles
	Runs                              // number of runs of each length
	LongRun                           // no run of 26 bits or more
	ContinuousRun                     // no 32-bit word equal to the one before
)

// Tests lists the five tests in the order in which rngtest reports them.
var Tests = [...]Failure{Monobit, Poker, Runs, LongRun, ContinuousRun}

// Has reports whether f holds any test of g.
func (f Failure) Has(g Failure) bool { return f&g != 0 }

// Name returns the label of a single test: monobit, poker, runs, long_run or
// continuous_run. For anything else it returns the empty string.
func (f Failure) Name() string {
	switch f {
	case Monobit:
		return "monobit"
	case Poker:
		return "poker"
	case Runs:
		return "runs"
	case LongRun:
		return "long_run"
	case ContinuousRun:
		return "continuous_run"
	}
	return ""
}

// String returns "pass" for the empty set, else the names of the failed tests
// joined by a plus sign, for example "monobit+runs".
func (f Failure) String() string {
	if f == 0 {
		return "pass"
	}
	names := make([]string, 0, len(Tests))
	for _, test := range Tests {
		if f.Has(test) {
			names = append(names, test.Name())
		}
	}
	return strings.Join(names, "+")
}
