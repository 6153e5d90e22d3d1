package sp80090b

import "math/bits"

// emitSize is how many suffixes go to a visitor at a time.
const emitSize = 1024

// A suffixVisitor takes the suffixes of a text in lexicographic order, where the end of
// the text comes before every symbol: their lengths, and the lengths of the prefix that
// each has in common with the one before. After restart they come again from the first.
type suffixVisitor interface {
	restart()
	visit(lengths, common []int32)
}

// suffixSorter sorts the suffixes of a text of packed symbols. Its first way is a radix
// sort: a key of 64 bits is as much of a suffix as fits, above the length of the suffix,
// and only suffixes with the same key get the next ones. Repeats in good data are so
// short that a second round is rare, and all memory is read in order. Where it gets
// deep, suffixArray takes over, linear whatever the data.
//
// A sorter needs 8 bytes for each suffix and up to 2 more, or 9.3 for suffixArray. The
// zero value is ready to use.
type suffixSorter struct {
	text  []uint64 // packed symbols, the first on top, and a word of zero bits
	n     int      // symbols
	width uint     // bits of a symbol
	stop  stopper

	visitor suffixVisitor
	fill    int
	lengths [emitSize]int32
	common  [emitSize]int32

	low     uint     // bits of a key that hold the length
	symbols uint64   // 2^32 / width, rounded up: bits to symbols by multiplication
	work    int      // keys that may still be sorted
	keys    []uint64 // one for each suffix
	spare   []uint64 // room to distribute the keys of one group

	array []int32 // of suffixArray: the suffixes in order
	prev  []int32 // and its work space, the one before each, and the common prefix
	bytes []byte  // and the text, a symbol a byte
	lms   bitSet
}

// load sets the text.
func (o *suffixSorter) load(symbols []byte, width int) {
	o.n, o.width = len(symbols), uint(width)
	o.text = resize(o.text, (o.n*width+63)/64+1)
	clear(o.text)
	packSymbols(o.text, symbols, o.width)
}

// reserve allocates all that a text of n symbols of up to 8 bits can take.
func (o *suffixSorter) reserve(n int) {
	o.text = make([]uint64, n/8+2)
	o.keys = make([]uint64, n)
	o.spare = make([]uint64, max(smallSort, n/4))
	o.array, o.prev = make([]int32, n), make([]int32, n)
	o.bytes = make([]byte, n)
	o.lms = make(bitSet, lmsWords(n))
}

// sort hands all suffixes to v.
func (o *suffixSorter) sort(v suffixVisitor) {
	o.visitor = v
	v.restart()
	o.fill = 0
	if !o.radix() && !o.stop.stopped() {
		v.restart()
		o.fill = 0
		o.inductive()
	}
	o.flush()
}

// inductive sorts the suffixes with suffixArray and finds what neighbours have in
// common in the order of the text, where it falls by one symbol a step at most.
func (o *suffixSorter) inductive() {
	n := o.n
	o.keys, o.spare = release(o.keys), release(o.spare)
	o.array, o.prev = resize(o.array, n), resize(o.prev, n)
	o.bytes = resize(o.bytes, n)
	for i := range n {
		o.bytes[i] = byte(window(o.text, i*int(o.width)) >> (64 - o.width))
	}
	o.lms = resize(o.lms, lmsWords(n))
	var buckets [256]int32
	suffixArray(o.bytes, o.array, buckets[:], o.prev, o.lms, o.stop)
	if o.stop.stopped() {
		return
	}
	// prev[i] is the suffix before suffix i, and then what they have in common.
	before := int32(none)
	for k, i := range o.array {
		if k%pollEvery == 0 && o.stop.stopped() {
			return
		}
		o.prev[i] = before
		before = i
	}
	step := 64 / int(o.width) // symbols compared at a time
	unused := uint(64 % int(o.width))
	same := 0
	for i, j := range o.prev {
		if i%pollEvery == 0 && o.stop.stopped() {
			return
		}
		if j == none {
			o.prev[i], same = 0, 0
			continue
		}
		limit := n - max(i, int(j))
		for same < limit {
			x := o.key((i+same)*int(o.width)) ^ o.key((int(j)+same)*int(o.width))
			if x >>= unused; x != 0 {
				same += (bits.LeadingZeros64(x) - int(unused)) / int(o.width)
				break
			}
			same += step
		}
		same = min(same, limit)
		o.prev[i] = int32(same)
		same = max(0, same-1)
	}
	for k, i := range o.array {
		if k%pollEvery == 0 && o.stop.stopped() {
			return
		}
		o.emit(int32(n)-i, o.prev[i])
	}
}

// release gives up a large slice before more memory is needed, and keeps a small one.
func release(s []uint64) []uint64 {
	if cap(s) > 1<<16 {
		return nil
	}
	return s
}

// emit adds a suffix to what the visitor gets.
func (o *suffixSorter) emit(length, common int32) {
	if o.fill == emitSize {
		o.flush()
	}
	o.lengths[o.fill], o.common[o.fill] = length, common
	o.fill++
}

func (o *suffixSorter) flush() {
	o.visitor.visit(o.lengths[:o.fill], o.common[:o.fill])
	o.fill = 0
}

// resize returns a slice of n elements that reuses the memory of s if it can. What is
// in it is undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
