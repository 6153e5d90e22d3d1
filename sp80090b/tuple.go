package sp80090b

import "math"

// tupleCutoff is how often a tuple must come up to count for the t-tuple estimate, SP
// 800-90B section 6.3.5 step 1, and not to count for LRS, section 6.3.6 step 1.
const tupleCutoff = 35

// repeats counts tuples: for each length, how often the most frequent one comes up, and
// how many pairs of equal ones there are. Tuples that begin with the same repeat are
// neighbours in the order of suffixes, so each set of them is an interval there, and
// the counts are sums over intervals: see Abouelhoda, Kurtz and Ohlebusch, Replacing
// Suffix Trees with Enhanced Suffix Arrays, 2004. An interval of c suffixes with h
// symbols in common, inside one with g, stands for a tuple of each length from g+1 to h.
type repeats struct {
	size   int        // suffixes in all, to be set
	n      int        // suffixes so far
	open   []interval // nested, the outermost first
	levels []level    // by the symbols that suffixes have in common
}

// An interval of suffixes that have symbols in common.
type interval struct{ symbols, first int32 }

// A level is what is known of the tuples of one length.
type level struct {
	pairs   uint64 // pairs of equal tuples, less those of tuples of one symbol more
	largest int32  // the size of the largest interval
}

func (r *repeats) restart() {
	r.n = 0
	r.open = append(r.open[:0], interval{})
	r.levels = append(r.levels[:0], level{})
}

func (r *repeats) visit(_, common []int32) {
	for _, h := range common {
		first := int32(r.n) - 1
		top := r.open[len(r.open)-1]
		for top.symbols > h {
			r.open = r.open[:len(r.open)-1]
			outer := r.open[len(r.open)-1]
			r.close(top, max(outer.symbols, h))
			first, top = top.first, outer
		}
		if top.symbols < h {
			r.open = append(makeRoom(r.open, r.size), interval{h, first})
		}
		r.n++
	}
}

// close counts an interval that ends before suffix r.n, inside one with outer symbols.
func (r *repeats) close(v interval, outer int32) {
	for int(v.symbols) >= len(r.levels) {
		r.levels = append(makeRoom(r.levels, r.size), level{})
	}
	size := int32(r.n) - v.first
	pairs := uint64(size) * uint64(size-1) / 2
	tuples := &r.levels[v.symbols]
	tuples.largest = max(tuples.largest, size)
	tuples.pairs += pairs
	r.levels[outer].pairs -= pairs
}

// makeRoom makes sure that there is room for another element. A slice that gets large
// gets all the room that it can ever need, rather than a copy of itself every now and
// then: room without elements in it costs no memory.
func makeRoom[T any](s []T, size int) []T {
	if len(s) < cap(s) || len(s) < 1<<14 {
		return s
	}
	return append(make([]T, 0, size+1), s...)
}

// estimates returns the t-tuple estimate, SP 800-90B section 6.3.5, and the longest
// repeated substring estimate, section 6.3.6. Either is negative if it does not apply:
// no symbol comes up 35 times, or every repeat does. The repeats are used up.
func (r *repeats) estimates(stop stopper) (tTuple, lrs float64) {
	r.visit(nil, []int32{0}) // ends all intervals; the suffix does not count
	n := r.n - 1
	longest := len(r.levels) - 1
	for h := longest - 1; h > 0; h-- {
		longer := r.levels[h+1]
		r.levels[h].largest = max(r.levels[h].largest, longer.largest)
		r.levels[h].pairs += longer.pairs
	}
	// Logarithms of the probabilities P-hat_max.
	tuple, repeat := math.Inf(-1), math.Inf(-1)
	u := 1
	for ; u <= longest && r.levels[u].largest >= tupleCutoff; u++ {
		p := float64(r.levels[u].largest) / float64(n-u+1)
		tuple = max(tuple, math.Log2(p)/float64(u))
	}
	for w := u; w <= longest && (w%pollEvery != 0 || !stop.stopped()); w++ {
		all := float64(n-w) * float64(n-w+1) / 2
		p := float64(r.levels[w].pairs) / all
		repeat = max(repeat, math.Log2(p)/float64(w))
	}
	tTuple, lrs = -1, -1
	if u > 1 {
		tTuple = minEntropy(upperBound(math.Exp2(tuple), n))
	}
	if u <= longest {
		lrs = minEntropy(upperBound(math.Exp2(repeat), n))
	}
	return tTuple, lrs
}

// tuplesOfBits makes both estimates for bits.
func tuplesOfBits(b *bitString, stop stopper) (tTuple, lrs float64) {
	sorter := suffixSorter{text: b.words[leadWords:], n: b.n, width: 1, stop: stop}
	r := repeats{size: b.n}
	sorter.sort(&r)
	if stop.stopped() {
		return -1, -1
	}
	return r.estimates(stop)
}
