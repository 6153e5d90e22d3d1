package sp80090b

import "math/bits"

// bitSet is a set of small numbers.
type bitSet []uint64

func (s bitSet) has(i int) bool { return s[i>>6]>>(uint(i)&63)&1 != 0 }

// all yields the numbers in ascending order.
func (s bitSet) all(yield func(int) bool) {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			if !yield(w<<6 + bits.TrailingZeros64(x)) {
				return
			}
		}
	}
}
