package sp80090b

import "math/bits"

const (
	// topBits is how much of a suffix decides on its group.
	topBits = 8
	// smallSort is the number of keys from which on distributing them pays.
	smallSort = 24
	// maxDigit is how many bits of a key are sorted by at a time.
	maxDigit = 11
	// maxShared and workFactor bound the cost of the radix sort: suffixes that have more
	// bits in common, or more keys to sort for each suffix, are for suffixArray.
	maxShared  = 768
	workFactor = 4
)

// radix sorts by keys. It returns false if it gave up.
func (o *suffixSorter) radix() bool {
	o.low = uint(bits.Len(uint(o.n)))
	o.symbols = (1<<32 + uint64(o.width) - 1) / uint64(o.width)
	o.work = workFactor * o.n

	var start [1<<topBits + 1]int
	step := int(o.width)
	for i := range o.n {
		if i%pollEvery == 0 && o.stop.stopped() {
			return false
		}
		start[window(o.text, i*step)>>(64-topBits)+1]++
	}
	largest := 0
	for i, count := range start {
		largest = max(largest, count)
		if i > 0 {
			start[i] += start[i-1]
		}
	}
	if largest > smallSort && largest > o.n/4 {
		return false // so uneven a text has long repeats
	}
	o.keys, o.spare = resize(o.keys, o.n), resize(o.spare, largest)
	end := start
	mask := uint64(1)<<o.low - 1
	for i := range o.n {
		if i%pollEvery == 0 && o.stop.stopped() {
			return false
		}
		x := window(o.text, i*step)
		group := &end[x>>(64-topBits)]
		o.keys[*group] = o.key(i*step+topBits)&^mask | uint64(o.n-i)
		*group++
	}
	last := -1 // the last key of the group before
	for g := range 1 << topBits {
		keys := o.keys[start[g]:end[g]]
		if len(keys) == 0 {
			continue
		}
		common := int32(0)
		if last >= 0 {
			common = o.prefix(0, uint64(last^g)<<(64-topBits))
		}
		if !o.group(keys, topBits, common) {
			return false
		}
		last = g
	}
	return true
}

// key returns the 64 bits of text from bit i on, zero bits after its end.
func (o *suffixSorter) key(i int) uint64 {
	if i>>6+1 >= len(o.text) {
		return 0
	}
	return window(o.text, i)
}

// prefix returns how many symbols the suffix emitted last and the next one have in
// common, which differ in the bits of a word that are set in x, after depth bits.
func (o *suffixSorter) prefix(depth int, x uint64) int32 {
	common := int32(uint64(depth+bits.LeadingZeros64(x)) * o.symbols >> 32)
	return min(common, o.lengths[o.fill-1]) // zero bits after its end are not symbols
}

// group sorts suffixes that have depth bits in common and emits them. The first one has
// common symbols in common with the suffix before. The end of the text counts as zero
// bits in keys, so suffixes that end within depth bits may be among them; they come
// first, the shortest before the others.
func (o *suffixSorter) group(keys []uint64, depth int, common int32) bool {
	ended := 0
	mask := uint64(1)<<o.low - 1
	for i, k := range keys {
		if int(k&mask)*int(o.width) <= depth {
			keys[i], keys[ended] = keys[ended], k
			ended++
			for j := ended - 1; j > 0 && keys[j]&mask < keys[j-1]&mask; j-- {
				keys[j], keys[j-1] = keys[j-1], keys[j]
			}
		}
	}
	for _, k := range keys[:ended] {
		length := int32(k & mask)
		o.emit(length, min(common, length))
		common = length
	}
	keys = keys[ended:]
	switch {
	case len(keys) == 0:
		return true
	case len(keys) == 1:
		o.emit(int32(keys[0]&mask), common)
		return true
	}
	if depth > topBits {
		for i, k := range keys {
			length := k & mask
			keys[i] = o.key((o.n-int(length))*int(o.width)+depth)&^mask | length
		}
	}
	o.work -= len(keys)
	if o.work < 0 || depth > maxShared || len(keys) > 1<<12 && o.stop.stopped() {
		return false
	}
	o.sortKeys(keys, 64)
	return o.runs(keys, depth, common)
}

// runs emits sorted keys, and those that are equal after another round.
func (o *suffixSorter) runs(keys []uint64, depth int, common int32) bool {
	mask := uint64(1)<<o.low - 1
	for i := 0; i < len(keys); {
		k := keys[i]
		end := i + 1
		for end < len(keys) && (keys[end]^k)&^mask == 0 {
			end++
		}
		if end == i+1 {
			o.emit(int32(k&mask), common)
		} else if !o.group(keys[i:end], depth+64-int(o.low), common) {
			return false
		}
		if end < len(keys) {
			common = o.prefix(depth, k^keys[end])
		}
		i = end
	}
	return true
}

// sortKeys sorts keys that differ in their lowest bits only, but not by their length.
func (o *suffixSorter) sortKeys(keys []uint64, differ uint) {
	if len(keys) <= smallSort {
		for i := 1; i < len(keys); i++ {
			k := keys[i]
			j := i
			for ; j > 0 && keys[j-1] > k; j-- {
				keys[j] = keys[j-1]
			}
			keys[j] = k
		}
		return
	}
	if differ <= o.low {
		return
	}
	digit := min(uint(bits.Len(uint(len(keys))))-3, maxDigit, differ-o.low)
	shift := differ - digit
	mask := uint64(1)<<digit - 1
	var counts [1<<maxDigit + 1]int32
	for _, k := range keys {
		counts[k>>shift&mask+1]++
	}
	size := 1 << digit
	for i := 1; i <= size; i++ {
		counts[i] += counts[i-1]
	}
	spare := o.spare[:len(keys)]
	for _, k := range keys {
		place := &counts[k>>shift&mask]
		spare[*place] = k
		*place++
	}
	copy(keys, spare)
	from := int32(0)
	for _, end := range counts[:size] {
		if end-from > 1 {
			o.sortKeys(keys[from:end], shift)
		}
		from = end
	}
}
