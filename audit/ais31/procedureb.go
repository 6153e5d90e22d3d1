package ais31

import (
	"fmt"
	"strings"
)

// Sizes of procedure B, AIS 20/31, test procedure B.
const (
	bitsT6a = 100_000
	// sample is how many followers of each predecessor T6b and T7 compare.
	sample = 100_000

	tuplesMin = sample * (2*2 + 4*3 + 8*4) // bits, if each sample is filled without waiting
	tuplesMax = tuplesMin / 4 * 5          // with a quarter more tuples, see follow

	wordBitsT8 = 8       // L
	warmUpT8   = 2560    // Q, words
	wordsT8    = 256_000 // K, words
	bitsT8     = wordBitsT8 * (warmUpT8 + wordsT8)
)

// attemptB applies procedure B to the start of the data. It reports false if they end too early.
func attemptB(data []byte) (Attempt, bool) {
	in := &reader{data: data}
	tests := []Test{testT6a(in), testT6b(in), testT7(in, "t7a", 2), testT7(in, "t7b", 3), testT8(in)}
	if in.short {
		return Attempt{}, false
	}
	return attemptOf((in.at+7)/8, tests), true
}

// testT6a is the uniform distribution test for single bits, with parameters (1, 100000, 0.025):
// the relative frequency of ones is less than 0.025 away from 1/2.
func testT6a(in *reader) Test {
	t := newTest("t6a", "uniform distribution of bits", 1, chanceT6a, between("p1", 0.475, 0.525))
	ones := 0
	for range bitsT6a {
		ones += in.take(1)
	}
	t.judge(0, float64(ones)/bitsT6a)
	return t
}

// testT6b is the uniform distribution test for the step from one bit to the next: of disjoint
// pairs of bits, the second ones are sorted by the first. With v(r) the relative frequency of the
// other value behind r, |v(0) + v(1) - 1| is less than 0.02.
func testT6b(in *reader) Test {
	t := newTest("t6b", "uniform distribution of transitions", 1, chanceT6b,
		between("p01_plus_p10_minus_1", -0.02, 0.02))
	f := follow(in, 1)
	if t.Note = f.missing(0, 1); t.Note != "" {
		t.fail()
		t.Statistics = nil
		return t
	}
	zeros := sample - f[1].ones
	t.judge(0, float64(f[0].ones+zeros-sample)/sample)
	return t
}

// testT7 is the homogeneity test for the influence of the bit that lies back bits before the
// last, back being 2 or 3: of disjoint tuples of back+1 bits, the last ones are sorted by those
// before. For each value of the others, the followers of a zero and of a one so far back are
// compared at the significance level 0.0001.
func testT7(in *reader, name string, back int) Test {
	middles := 1 << (back - 1) // values of the bits between
	t := newTest(name, fmt.Sprintf("homogeneity, bit %d before", back), middles, chanceT7)
	f := follow(in, back)
	var notes []string
	for middle := range middles {
		if note := f.missing(middle, middle+middles); note != "" {
			notes = append(notes, note)
			t.fail()
			continue
		}
		// The quantile of the chi-square distribution with 1 degree of freedom.
		s := below(fmt.Sprintf("chi2_after_x%0*b", back-1, middle), 15.13)
		s.Min = homogeneity(f[middle].ones, f[middle+middles].ones)
		s.Max = s.Min
		if !s.Limits.Contain(s.Min) {
			t.fail()
		}
		t.Statistics = append(t.Statistics, s)
	}
	t.Note = strings.Join(notes, "; ")
	return t
}

// homogeneity is the statistic of test T7 for two samples with a and b ones: the sum over both
// samples and both values of (f - n*p)^2 / (n*p), where f is the number of the value in the
// sample and p its relative frequency in both together. With two values that comes to
// 2n (a-b)^2 / ((a+b) (2n-a-b)).
func homogeneity(a, b int) float64 {
	if a == b {
		return 0 // also if there is but one value
	}
	d, sum := float64(a-b), float64(a+b)
	return 2 * sample * d * d / (sum * (2*sample - sum))
}

// followers are the bits that followed one value of the bits before them.
type followers struct{ n, ones int }

type followerTable []followers

// follow reads disjoint tuples of back+1 bits and sorts the last bits of them by the value of the
// others, until there are sample of each. It reads no tuple after the last one that was wanted, and
// gives up after a quarter more tuples than fill all samples if none is superfluous.
//
// What T6a and T6b allow is not given up: with a frequency of ones from 0.475 to 0.525 and p01+p10
// from 0.98 to 1.02, the rarest value of three bits has a probability of 0.1025, and needs 975,700
// tuples on average, with a standard deviation of 2,900; the limit is 1,000,000.
func follow(in *reader, back int) followerTable {
	table := make(followerTable, 1<<back)
	open := len(table)
	for range len(table) * sample / 4 * 5 {
		tuple := in.take(back + 1)
		if in.short {
			break
		}
		f := &table[tuple>>1]
		if f.n == sample {
			continue
		}
		f.n++
		f.ones += tuple & 1
		if f.n == sample {
			if open--; open == 0 {
				break
			}
		}
	}
	return table
}

// missing says which of the predecessors have too few followers, if any.
func (t followerTable) missing(predecessors ...int) string {
	width := 1
	for 1<<width < len(t) {
		width++
	}
	var list []string
	for _, p := range predecessors {
		if t[p].n < sample {
			list = append(list, fmt.Sprintf("%0*b came before %d of %d bits wanted", width, p, t[p].n, sample))
		}
	}
	return strings.Join(list, "; ")
}
