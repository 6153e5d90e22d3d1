package audit

import "github.com/hwrngd/hwrngd/fips"

// anyTest is the name of the figure for blocks that failed whatever test.
const anyTest = "any"

// testTitles are the names of the block tests for people, in the order of fips.Tests.
var testTitles = [len(fips.Tests)]string{"monobit", "poker", "runs", "long run", "continuous run"}

// profileFailures returns the failures that count in a profile, and the probabilities that an ideal
// block fails any test, and each.
func profileFailures(c *Counters, profile string) (f *Failures, chanceAny float64, chance func(fips.Failure) float64) {
	if profile == ProfileFIPS1402 {
		return &c.FIPS1402, fips.ChanceAny, fips.Failure.Chance
	}
	return &c.FIPS1401, fips.ChanceAny1401, fips.Chance1401
}

// blockTests compares the numbers of failed blocks with those of an ideal source, by exact binomial
// tails. Blocks are independent: that the continuous run test takes the last word of the block before
// changes nothing, as any word is as likely to repeat.
func blockTests(c *Counters, profile string) []Test {
	f, chanceAny, chance := profileFailures(c, profile)
	tests := []Test{blockTest(anyTest, "any test", f.Any, c.Blocks, chanceAny)}
	for i, test := range fips.Tests {
		tests = append(tests, blockTest(test.Name(), testTitles[i], f.Tests[i], c.Blocks, chance(test)))
	}
	return tests
}

func blockTest(name, title string, failures, blocks int64, chance float64) Test {
	return Test{
		Name: name, Title: title, Failures: failures,
		Expected: float64(blocks) * chance,
		PMore:    binomialMore(blocks, chance, failures),
		PFewer:   binomialFewer(blocks, chance, failures),
	}
}

// smallest returns the smaller of the two probabilities. Each has a place of its own in the budget.
func (t *Test) smallest() float64 { return min(t.PMore, t.PFewer) }
