package ais31

import "math"

// testT8 is Coron's entropy test with parameters L = 8, Q = 2560, K = 256,000. J.-S. Coron, "On the
// security of random sources", PKC 1999: the distance A of each word to the last equal one before
// it, the number of words before it and one if there is none, goes into
//
//	f = 1/K * sum of g(A) over the last K words,  g(i) = 1/ln 2 * sum of 1/k over k from 1 to i-1,
//
// and the expectation of f is the entropy of a word. Passed if f > 7.976.
func testT8(in *reader) Test {
	t := newTest("t8", "entropy (Coron)", 1, chanceT8, above("f", 7.976))
	g := harmonic(warmUpT8 + wordsT8)
	var last [1 << wordBitsT8]int // index of each value's last word, from 1; 0 if there is none
	sum := 0.0
	for n := 1; n <= warmUpT8+wordsT8; n++ {
		word := in.take(wordBitsT8)
		if n > warmUpT8 {
			sum += g[n-last[word]]
		}
		last[word] = n
	}
	t.judge(0, sum/wordsT8/math.Ln2)
	return t
}

// harmonic returns the table h of h[i] = sum of 1/k over k from 1 to i-1, up to i = n.
func harmonic(n int) []float64 {
	h := make([]float64, n+1)
	for i := 2; i <= n; i++ {
		h[i] = h[i-1] + 1/float64(i-1)
	}
	return h
}
