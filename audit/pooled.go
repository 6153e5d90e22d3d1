package audit

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hwrngd/hwrngd/fips"
)

// Kinds of statistics.
const (
	kindZ     = "z"
	kindChi2  = "chi2"
	kindCount = "count"
)

// Names of the pooled statistics.
const (
	statBias            = "bias"
	statRuns            = "run_lengths"
	statNibbles         = "nibbles"
	statBytes           = "bytes"
	statAutocorrelation = "autocorrelation"
	statLaneBias        = "lane_bias"
	statLaneCorrelation = "lane_correlation"
	statWordCorrelation = "word_correlation"
	statEqualWords      = "equal_words"
	statLongestRun      = "longest_run"
	statRepetition      = "repetition_count"
	statProportion      = "adaptive_proportion"
	statStuckBits       = "stuck_bits"
	statRepeats         = "repeats"
)

// moduli are the lengths in bits of the words whose bits are looked at one by one.
var moduli = [...]int{8, 16, 32, 64}

// pooled returns the figures over all data that add up over streams: nothing if there is no block.
func pooled(c *Counters, claim float64) []Statistic {
	if c.Blocks == 0 {
		return nil
	}
	return []Statistic{
		named(statBias, "share of ones", c.Bias().statistic("")),
		named(statRuns, "runs by length", runLengths(c)...),
		named(statNibbles, "values of 4 bits", nibbleValues(c)),
		named(statBytes, "values of bytes", byteValues(c)),
		named(statAutocorrelation, "bits equal to those so far before", lags(c)...),
		named(statLaneBias, "share of ones by bit of a word", laneBias(c)...),
		named(statLaneCorrelation, "bits equal to those just before, by bit of a word", laneCorrelation(c)...),
		named(statWordCorrelation, "bits equal to those of the word before, by bit", wordCorrelation(c)...),
		named(statEqualWords, "words equal to those before", equalWords(c)...),
		named(statLongestRun, "longest run of equal bits", longestRun(c)),
		named(statRepetition, "longest sequence of equal bytes", repetition(c, claim)),
		named(statProportion, "most bytes of a window equal to its first", proportion(c, claim)),
		named(statStuckBits, "bits that never change", stuckBits(c)),
	}
}

// named returns the most extreme member of a family with the family's name: the one of the smallest
// probability, and of those that are 0 the one of the largest value.
func named(name, title string, family ...Statistic) Statistic {
	worst := family[0]
	for _, s := range family[1:] {
		if s.P < worst.P || s.P == worst.P && math.Abs(s.Value) > math.Abs(worst.Value) {
			worst = s
		}
	}
	worst.Name, worst.Title, worst.Of = name, title, len(family)
	return worst
}

func runLengths(c *Counters) []Statistic {
	var family []Statistic
	z := c.RunZ()
	for value, lengths := range c.Runs {
		for i, n := range lengths {
			length := strconv.Itoa(i + 1)
			if i == len(lengths)-1 {
				length += " and more"
			}
			family = append(family, Statistic{
				Where: length + [...]string{" zeros", " ones"}[value], Kind: kindZ, Value: z[value][i],
				Observed: float64(n), Expected: float64(c.Blocks) * runLaws[i].mean,
				P: twoSided(runLaws[i].tails(n, float64(c.Blocks))),
			})
		}
	}
	return family
}

func nibbleValues(c *Counters) Statistic { return uniform(c.NibbleChiSquare(), c.Nibbles[:]) }

// byteValues names the value that is furthest off.
func byteValues(c *Counters) Statistic {
	s := uniform(c.ByteChiSquare(), c.Sampled.Values[:])
	far, furthest := 0.0, 0
	for value, z := range c.ByteZ() {
		if math.Abs(z) > far {
			far, furthest = math.Abs(z), value
		}
	}
	s.Where = fmt.Sprintf("%02x furthest off", furthest)
	return s
}

// uniform is Pearson's statistic x of equally likely cells. Values that are too even are no more ideal
// than those that are too uneven: a counter's are.
func uniform(x float64, cells []int64) Statistic {
	return Statistic{
		Kind: kindChi2, Value: x, Observed: x, Expected: float64(len(cells) - 1),
		P: twoSided(chiSquareTails(x, float64(total(cells)), float64(len(cells)))),
	}
}

func lags(c *Counters) []Statistic {
	var family []Statistic
	for i, share := range c.Correlation() {
		family = append(family, share.statistic("lag "+strconv.Itoa(i+1)))
	}
	return family
}

// lanes makes a family of the bits of words of one length.
func lanes(shares []Share) []Statistic {
	var family []Statistic
	for i, share := range shares {
		family = append(family, share.statistic(fmt.Sprintf("bit %d of %d", i, len(shares))))
	}
	return family
}

// laneBias looks at words of each length. Those of a shorter one are sums of those of a longer one, and
// see a fault of each of them sooner.
func laneBias(c *Counters) []Statistic {
	var family []Statistic
	for _, modulus := range moduli {
		family = append(family, lanes(c.LaneBias(modulus))...)
	}
	return family
}

// laneCorrelation compares each bit with its neighbour, likewise.
func laneCorrelation(c *Counters) []Statistic {
	var family []Statistic
	for _, modulus := range moduli {
		family = append(family, lanes(c.LaneCorrelation(1, modulus))...)
	}
	return family
}

// wordCorrelation compares each bit of a word with the same bit of the word before, for each length of
// words at its own lag. The same lag by the bits of a longer word would tell the bytes of it apart.
func wordCorrelation(c *Counters) []Statistic {
	var family []Statistic
	for _, modulus := range moduli {
		family = append(family, lanes(c.LaneCorrelation(modulus, modulus))...)
	}
	return family
}

// wordPairs returns the number of pairs of neighbours, in the blocks sampled, of which
// Sampled.EqualWords[i] are equal, and the probability that one is.
func wordPairs(c *Counters, i int) (pairs int64, chance float64) {
	size := 1 << i
	return c.Sampled.Blocks * int64(fips.BlockBytes/size-1), math.Exp2(-8 * float64(size))
}

func equalWords(c *Counters) []Statistic {
	var family []Statistic
	for i, n := range c.Sampled.EqualWords {
		pairs, chance := wordPairs(c, i)
		family = append(family, Statistic{
			Where: plural(1<<i, "byte"), Kind: kindCount, Value: float64(n),
			Observed: float64(n), Expected: float64(pairs) * chance,
			P: twoSided(binomialMore(pairs, chance, n), binomialFewer(pairs, chance, n)),
		})
	}
	return family
}
