package sp80090b

// multiMMCBits is multiMMC for bits. Orders are at most 16, so all contexts of an order
// fit in a table.
func multiMMCBits(b *bitString, limit int, stop stopper) float64 {
	const chunk = 64 // words at a time, so that one table stays in the cache
	race := newRace(maxOrder)
	var right, made [chunk][maxOrder]uint64
	var tables [maxOrder]mmcTable
	for j := range tables {
		tables[j] = newMMCTable(j+1, limit)
	}
	words := (b.n + 63) / 64
	for start := 0; start < words; start += chunk {
		end := min(start+chunk, words)
		for j := range tables {
			for w := start; w < end; w++ {
				skip := max(0, j+1-w*64) // positions without a context of this order
				r, m := tables[j].word(b, w, skip, min(64, b.n-w*64))
				if j > 0 {
					m &= made[w-start][j-1] // else longer contexts are unknown as well
				}
				right[w-start][j], made[w-start][j] = r&m, m
			}
		}
		for w := start; w < end; w++ {
			race.add(right[w-start][:], made[w-start][:], min(64, b.n-w*64))
		}
		if stop.stopped() {
			break
		}
	}
	return predictionEntropy(race.correct, race.longest, b.n-2, 2)
}

// mmcTable is the dictionary of one order for bits. With room for all pairs, all that
// counts is which of the two pairs of a context is ahead. Otherwise each has a count.
type mmcTable struct {
	ahead  []int32 // 2 * (ones - zeros) + 1 after each context, 0 for none so far
	counts [][2]uint32
	space  int // pairs that still fit
}

func newMMCTable(order, limit int) mmcTable {
	if pairs := 2 << order; pairs > limit {
		return mmcTable{counts: make([][2]uint32, 1<<order), space: limit}
	}
	return mmcTable{ahead: make([]int32, 1<<order)}
}

// word predicts word w, from position skip to n, and learns it. Both results have the
// first position on top.
func (t *mmcTable) word(b *bitString, w, skip, n int) (right, made uint64) {
	if skip >= n {
		return 0, 0
	}
	x := b.words[leadWords+w]
	history := b.words[leadWords+w-1]
	history = history<<uint(skip) | x>>1>>uint(63-skip)
	x <<= uint(skip)
	if t.counts != nil {
		right, made = t.count(history, x, n-skip)
	} else {
		right, made = t.compare(history, x, n-skip)
	}
	return right >> uint(skip), made >> uint(skip)
}

// compare predicts and learns n bits at the top of x, after those of history.
func (t *mmcTable) compare(history, x uint64, n int) (right, made uint64) {
	table := t.ahead
	mask := uint64(len(table) - 1)
	for range n {
		y := x >> 63
		v := &table[history&mask]
		ahead := *v
		predicted := uint64(uint32(^ahead) >> 31) // a tie is a 1
		right = right<<1 | (predicted ^ y ^ 1)
		made = made<<1 | uint64(ahead&1)
		*v = ahead + int32(y)*4 - 2 | 1
		history = history<<1 | y
		x <<= 1
	}
	rest := uint(64 - n)
	return right << rest, made << rest
}

// count does so with limited space.
func (t *mmcTable) count(history, x uint64, n int) (right, made uint64) {
	mask := uint64(len(t.counts) - 1)
	for range n {
		y := x >> 63
		v := &t.counts[history&mask]
		predicted := uint64(1)
		if v[0] > v[1] {
			predicted = 0
		}
		right = right<<1 | (predicted ^ y ^ 1)
		known := uint64(0)
		if v[0]|v[1] != 0 {
			known = 1
		}
		made = made<<1 | known
		if v[y] != 0 {
			v[y]++
		} else if t.space > 0 {
			v[y] = 1
			t.space--
		}
		history = history<<1 | y
		x <<= 1
	}
	rest := uint(64 - n)
	return right << rest, made << rest
}
