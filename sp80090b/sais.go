package sp80090b

import "math/bits"

// none is an empty place in a suffix array.
const none = -1

// suffixArray puts the suffixes of a text into lexicographic order in linear time, with
// the SA-IS algorithm of Nong, Zhang and Chan, Linear Suffix Array Construction by
// Almost Pure Induced-Sorting, DCC 2009. A suffix is of type S if it comes before the
// suffix at the next symbol, else of type L. The LMS suffixes are those of type S after
// one of type L; their order gives that of all others in two passes.
//
// sa has an element for each symbol, bucket one for each value of a symbol, free as
// many as sa, and lms the words of lmsWords. All may hold anything.
func suffixArray[T byte | int32](text []T, sa, bucket, free []int32, lms bitSet, stop stopper) {
	n := len(text)
	if n < 2 {
		clear(sa)
		return
	}
	marks := lms[:n/64+1]
	markLMS(text, marks)

	// The LMS suffixes in any order sort the LMS substrings: each from one LMS suffix to
	// the next.
	setAll(sa, none)
	bucketEnds(text, bucket)
	if stop.stopped() {
		return
	}
	m := 0
	for i := range marks.all {
		c := text[i]
		bucket[c]--
		sa[bucket[c]] = int32(i)
		m++
	}
	if stop.stopped() {
		return
	}
	induce(text, sa, bucket, stop)
	if stop.stopped() {
		return
	}
	found := 0
	for _, i := range sa {
		if marks.has(int(i)) {
			sa[found] = i
			found++
		}
	}

	// Name the substrings in order, at half their index: two never start side by side.
	sorted, names := sa[:m], sa[m:]
	setAll(names, none)
	name := int32(none)
	before := none
	for k, i := range sorted {
		if k%pollEvery == 0 && stop.stopped() {
			return
		}
		if before == none || !sameSubstring(text, marks, before, int(i)) {
			name++
		}
		before = int(i)
		names[i/2] = name
	}
	if distinct := int(name) + 1; distinct < m && !stop.stopped() {
		// The suffixes of the text of names have the order of the LMS suffixes.
		short := sa[n-m:]
		w := m
		for i := len(names) - 1; i >= 0; i-- {
			if names[i] != none {
				w--
				short[w] = names[i]
			}
		}
		suffixArray(short, sorted, free[:distinct], free[distinct:], lms[len(marks):], stop)
		if stop.stopped() {
			return // sorted may not be complete
		}
		w = 0
		for i := range marks.all {
			short[w] = int32(i)
			w++
		}
		for k, i := range sorted {
			sorted[k] = short[i]
		}
	}
	if stop.stopped() {
		return
	}

	// The LMS suffixes in order sort all.
	setAll(sa[m:], none)
	bucketEnds(text, bucket)
	for k := m - 1; k >= 0; k-- {
		i := sa[k]
		sa[k] = none
		c := text[i]
		bucket[c]--
		sa[bucket[c]] = i
	}
	induce(text, sa, bucket, stop)
}

// lmsWords returns how many words of bits suffixArray needs for n symbols: one bit for
// each of this text and of the ones of names, each at most half as long as the one
// before, in words of their own.
func lmsWords(n int) int { return n/32 + bits.Len(uint(n)) + 1 }

// markLMS sets the bits of the LMS suffixes.
func markLMS[T byte | int32](text []T, marks bitSet) {
	clear(marks)
	next := false // type S; the last suffix is of type L
	for i := len(text) - 2; i >= 0; i-- {
		this := text[i] < text[i+1] || text[i] == text[i+1] && next
		if next && !this {
			marks[(i+1)>>6] |= 1 << (uint(i+1) & 63)
		}
		next = this
	}
}

// induce puts the suffixes of type L at the start of their buckets, from the LMS
// suffixes at the ends, and from them those of type S at the ends.
func induce[T byte | int32](text []T, sa, bucket []int32, stop stopper) {
	bucketStarts(text, bucket)
	last := len(text) - 1
	c := text[last]
	sa[bucket[c]] = int32(last)
	bucket[c]++
	for k := range sa {
		if k%pollEvery == 0 && stop.stopped() {
			return
		}
		i := sa[k] - 1
		if i < 0 {
			continue
		}
		if c := text[i]; c >= text[i+1] {
			sa[bucket[c]] = i
			bucket[c]++
		}
	}
	bucketEnds(text, bucket)
	for k := len(sa) - 1; k >= 0; k-- {
		if k%pollEvery == 0 && stop.stopped() {
			return
		}
		i := sa[k] - 1
		if i < 0 {
			continue
		}
		// With equal symbols, suffix i is of the type of suffix i+1, which is S if it
		// is where this pass has been.
		if c := text[i]; c <= text[i+1] && int(bucket[c]) <= k {
			bucket[c]--
			sa[bucket[c]] = i
		}
	}
}

// sameSubstring reports whether the LMS substrings at a and b are equal.
func sameSubstring[T byte | int32](text []T, marks bitSet, a, b int) bool {
	for d := 0; ; d++ {
		if a+d == len(text) || b+d == len(text) || text[a+d] != text[b+d] {
			return false
		}
		if d > 0 {
			endA, endB := marks.has(a+d), marks.has(b+d)
			if endA || endB {
				return endA && endB
			}
		}
	}
}

// bucketStarts sets where in the suffix array the suffixes with each first symbol start.
func bucketStarts[T byte | int32](text []T, bucket []int32) {
	bucketEnds(text, bucket)
	start := int32(0)
	for c, end := range bucket {
		bucket[c] = start
		start = end
	}
}

// bucketEnds sets where they end.
func bucketEnds[T byte | int32](text []T, bucket []int32) {
	clear(bucket)
	for _, c := range text {
		bucket[c]++
	}
	end := int32(0)
	for c, count := range bucket {
		end += count
		bucket[c] = end
	}
}

func setAll(s []int32, v int32) {
	for i := range s {
		s[i] = v
	}
}
