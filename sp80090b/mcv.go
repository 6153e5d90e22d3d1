package sp80090b

import "slices"

// mostCommonValue is the most common value estimate, SP 800-90B section 6.3.1: the
// bound on the frequency of the most frequent of all symbols. n is their number.
func mostCommonValue(counts []int, n int) float64 {
	return minEntropy(upperBound(float64(slices.Max(counts))/float64(n), n))
}

// countSymbols returns how often each symbol comes up.
func countSymbols(symbols []byte) (counts [256]int) {
	for _, s := range symbols {
		counts[s]++
	}
	return counts
}
