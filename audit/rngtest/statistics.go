package rngtest

import (
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// prefix begins each line but those of the banner.
const prefix = "rngtest: "

// testNames are those of rngtest's counters, in the order of fips.Tests.
var testNames = [len(fips.Tests)]string{"Monobit", "Poker", "Runs", "Long run", "Continuous run"}

// statistics are what rngtest counts and prints.
type statistics struct {
	pipe     bool
	received int64 // bytes: the bootstrap word and whole blocks
	part     int64 // bytes of an unfinished block
	sent     int64 // bytes

	good, bad int64 // blocks
	failed    [len(fips.Tests)]int64

	input, tests, output speed
}

// count takes the outcome of a block.
func (s *statistics) count(failed fips.Failure) {
	if failed == 0 {
		s.good++
		return
	}
	s.bad++
	for i, test := range fips.Tests {
		if failed.Has(test) {
			s.failed[i]++
		}
	}
}

// text returns the lines. runtime is how long the program has run.
func (s *statistics) text(runtime time.Duration) []byte {
	var b []byte
	line := func(format string, args ...any) {
		b = fmt.Appendf(append(b, prefix...), format+"\n", args...)
	}
	line("bits received from input: %d", 8*(s.received+s.part))
	if s.pipe {
		line("bits sent to output: %d", 8*s.sent)
	}
	line("FIPS 140-2 successes: %d", s.good)
	line("FIPS 140-2 failures: %d", s.bad)
	for i, name := range testNames {
		line("FIPS 140-2(2001-10-10) %s: %d", name, s.failed[i])
	}
	line("input channel speed: %v", &s.input)
	line("FIPS tests speed: %v", &s.tests)
	if s.pipe {
		line("output channel speed: %v", &s.output)
	}
	line("Program run time: %d microseconds", runtime.Microseconds())
	return b
}
