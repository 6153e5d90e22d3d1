package fips

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestChanceAny1401 estimates how often a block fails two of the tests of FIPS 140-1.
// Simulating ideal blocks would take 10^10 of them, so it makes blocks that fail one test.
func TestChanceAny1401(t *testing.T) {
	if testing.Short() || race || strconv.IntSize == 32 {
		t.Skip("takes some seconds")
	}
	sum := 0.0
	for _, test := range Tests {
		sum += Chance1401(test)
	}
	monobit, pokerAndRuns := overlapOfMonobit(25_000), overlapOfPokerAndRuns(25_000)
	t.Logf("sum %.5e; monobit and another %.3e, poker and runs alone %.3e", sum, monobit, pokerAndRuns)
	// The estimates have standard deviations of 8 % and 20 %: 1e-9 together.
	if got := sum - monobit - pokerAndRuns; math.Abs(got-ChanceAny1401) > 4e-9 {
		t.Errorf("any test: computed %.4e, the constant is %.4e", got, ChanceAny1401)
	}
	if d := chanceRunsSum1401 - chanceRuns1401; d < 0 || d > 0.5e-9 {
		t.Errorf("chanceRuns1401 is %.1e below the sum of the 12 intervals", d)
	}
}

// overlapOfMonobit returns the probability of failing monobit and poker, plus that of failing
// monobit and runs, from n blocks that have too few ones. The number of ones has the law it
// has in ideal blocks, given that it is too low, and all blocks with that number are equally
// likely. Too many ones are as likely as too few, with poker and runs failing as often.
func overlapOfMonobit(n int) float64 {
	first := int(FIPS1401.Ones.Min) - 1
	var upTo []float64 // up to i: the number of ones is first - i or more, times a constant
	p, total := 1.0, 0.0
	for ones := first; p > 1e-12; ones-- {
		total += p
		upTo = append(upTo, total)
		p *= float64(ones) / float64(BlockBits-ones+1)
	}
	rng := rand.NewChaCha8([32]byte{'m', 'o', 'n', 'o', 'b', 'i', 't'})
	draw := rand.New(rng)
	var block [BlockBytes]byte
	others := 0
	for range n {
		ones := first
		for u := draw.Float64() * total; upTo[first-ones] < u; {
			ones--
		}
		rng.Read(block[:])
		c := Measure(&block, 0)
		for c.Ones > ones { // clear ones at random
			if at := draw.IntN(BlockBits); block[at/8]>>(at%8)&1 == 1 {
				block[at/8] ^= 1 << (at % 8)
				c.Ones--
			}
		}
		c = Measure(&block, 0)
		failed := Judge1401(&block, &c)
		for _, test := range []Failure{Poker, Runs} {
			if failed.Has(test) {
				others++
			}
		}
	}
	return chanceMonobit1401 * float64(others) / float64(n)
}

// overlapOfPokerAndRuns returns the probability of failing poker, by a sum that is too high,
// and runs, but not monobit, from n blocks. Their nibbles are drawn from Polya's urn: each is
// new with the chance a*16 to the number of nibbles so far, else a copy of one of these. That
// spreads the frequencies so that half of the blocks fail poker. A block counts with the ratio
// of its probability in an ideal source to that from the urn.
func overlapOfPokerAndRuns(n int) float64 {
	const (
		cells   = 16
		nibbles = BlockBits / 4
	)
	limit := float64(FIPS1401.SumSquares.Max)*cells/nibbles - nibbles // of X, which has mean 15
	spread := limit / (cells - 1)                                     // of the variance: (nibbles+16a)/(1+16a)
	a := (nibbles - spread) / (spread - 1) / cells
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }

	draw := rand.New(rand.NewChaCha8([32]byte{'p', 'o', 'k', 'e', 'r'}))
	sum := 0.0
	for range n {
		var row [nibbles]byte
		for i := range row {
			if u := draw.Float64() * (cells*a + float64(i)); u < cells*a {
				row[i] = byte(u / a)
			} else {
				row[i] = row[int(u-cells*a)]
			}
		}
		var block [BlockBytes]byte
		for i := range block {
			block[i] = row[2*i]<<4 | row[2*i+1]
		}
		c := Measure(&block, 0)
		failed := Judge1401(&block, &c)
		if !failed.Has(Poker) || !failed.Has(Runs) || failed.Has(Monobit) {
			continue
		}
		logWeight := lgamma(cells*a+nibbles) - lgamma(cells*a) - nibbles*math.Log(cells)
		for _, f := range c.Nibbles {
			logWeight -= lgamma(a+float64(f)) - lgamma(a)
		}
		sum += math.Exp(logWeight)
	}
	return sum / float64(n)
}
