package metrics

import (
	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
)

// anyTest labels the chance that a block fails one test or more.
const anyTest = "any"

func fipsTestNames() []string {
	var names []string
	for _, test := range fips.Tests {
		names = append(names, test.Name())
	}
	return names
}

// FIPSChances returns the values of [FIPSFalseAlarm] by the value of its label test.
func FIPSChances() map[string]float64 {
	chances := map[string]float64{anyTest: fips.ChanceAny}
	for _, test := range fips.Tests {
		chances[test.Name()] = test.Chance()
	}
	return chances
}

// ExpectedFailure returns the value of [SourceExpectedFailure]: the share of blocks that a source fails
// although it works as designed.
func ExpectedFailure(i source.Info) float64 { return max(i.FailureRate, fips.ChanceAny) }
