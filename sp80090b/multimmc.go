package sp80090b

import "math/bits"

// maxPairs is how many pairs of a context and a symbol the dictionary of each order may
// hold, SP 800-90B section 6.3.9.
const maxPairs = 100_000

// mmcNode is what MultiMMC knows of a node of a contextTree: of its contexts, and of it
// as pairs. Order m has bit m.
type mmcNode struct {
	seen  int32  // times that it came up as a pair
	pairs uint32 // orders that have the pair in their dictionary
	known uint32 // orders that have the context
	best  int32  // index of the best pair of its lowest order
}

// mmc is the state of multiMMC, and memory to be used again.
type mmc struct {
	nodes []mmcNode
	// best has the most frequent pair of each context, and of several that are as
	// frequent, the one with the largest symbol, as NIST's tool has it: frequency << 8 |
	// symbol.
	best []uint64
	// stride is the distance in best from order to order. It is 0 where no dictionary
	// can get full: all contexts of a node have the same pairs, as often.
	stride int32

	limit   int // pairs in a dictionary
	entries [maxOrder + 1]int
	space   uint32 // orders with room in their dictionary

	score  [maxOrder + 1]int
	winner int
	count  tally
}

// multiMMC is the multi Markov model with counting prediction estimate, SP 800-90B
// section 6.3.9: the subpredictor of order m, 1 to 16, expects the symbol that came up
// most often after the last m. The symbols are from an alphabet of k, limit is the size
// of a dictionary.
//
// As in NIST's tool, a leader that has not seen the context, and so predicts nothing,
// does not end a row of right predictions, although the standard's pseudo-code would.
func (d *mmc) multiMMC(t *contextTree, symbols []byte, k, limit int, stop stopper) float64 {
	*d = mmc{
		nodes:  resize(d.nodes, len(t.nodes)),
		best:   append(d.best[:0], 0), // index 0 is nobody's
		limit:  limit,
		space:  span(1, maxOrder),
		winner: 1,
	}
	clear(d.nodes)
	if len(symbols) > limit {
		d.stride = 1
	}
	var rooms [2]contextPath
	path := t.path(1, &rooms[0])
	for i := 1; i < len(symbols); i++ {
		pairs := t.path(i+1, &rooms[i&1])
		d.predict(t, path, symbols[i])
		d.learn(t, path, pairs, min(i, maxOrder), symbols[i])
		path = pairs
		if i%pollEvery == 0 && stop.stopped() {
			break
		}
	}
	return predictionEntropy(d.count.correct, d.count.longest, len(symbols)-2, k)
}

// predict compares the predictions after the contexts of path with symbol y.
func (d *mmc) predict(t *contextTree, path []int32, y byte) {
	leader := d.winner
	low := int32(1)
	for _, v := range path {
		node := &d.nodes[v]
		high := min(t.nodes[v].depth, maxOrder)
		best := node.best
		for m := low; m <= high; m++ {
			if node.known>>m&1 == 0 {
				return // longer contexts are unknown as well
			}
			right := byte(d.best[best]) == y
			if right {
				d.score[m]++
				if d.score[m] >= d.score[d.winner] {
					d.winner = int(m)
				}
			}
			if int(m) == leader {
				d.count.add(right)
			}
			best += d.stride
		}
		low = high + 1
	}
}

// learn counts the pairs of the contexts of path and symbol y: they are the contexts of
// the next position. longest is the longest context.
func (d *mmc) learn(t *contextTree, path, pairs []int32, longest int, y byte) {
	low := int32(1)
	next, counted := 0, false // the pair to count, and whether that was done
	for _, v := range path {
		high := min(t.nodes[v].depth, maxOrder)
		if low > high {
			break
		}
		for next < len(pairs) && t.nodes[pairs[next]].depth <= high {
			next, counted = next+1, false
		}
		// The contexts of a node come up together, and so do their pairs with y: they
		// are of one node as well, or come up just this once.
		orders, seen := span(low, high), int32(1)
		if next == len(pairs) {
			orders = d.enter(orders)
		} else {
			pair := &d.nodes[pairs[next]]
			if !counted {
				counted = true
				if pair.seen == 0 {
					outer := t.nodes[t.nodes[pairs[next]].parent].depth
					pair.pairs = d.enter(span(max(outer, 1), t.nodes[pairs[next]].depth-1))
				}
				pair.seen++
			}
			orders &= pair.pairs
			seen = pair.seen
		}
		if orders != 0 {
			d.compare(&d.nodes[v], orders, low, high, uint64(seen)<<8|uint64(y))
		}
		low = high + 1
	}
	d.enter(span(low, int32(longest)))
}

// enter adds a new pair to the dictionaries of some orders and returns which took it.
func (d *mmc) enter(orders uint32) uint32 {
	orders &= d.space
	if d.stride == 0 {
		return orders
	}
	for x := orders; x != 0; x &= x - 1 {
		m := bits.TrailingZeros32(x)
		d.entries[m]++
		if d.entries[m] == d.limit {
			d.space &^= 1 << m
		}
	}
	return orders
}

// compare makes pair the best one of the contexts of some orders if it is.
func (d *mmc) compare(node *mmcNode, orders uint32, low, high int32, pair uint64) {
	if node.known == 0 {
		node.best = int32(len(d.best))
		for range (high-low)*d.stride + 1 {
			d.best = append(d.best, 0)
		}
	}
	node.known |= orders
	if d.stride == 0 {
		orders = span(low, low)
	}
	for x := orders; x != 0; x &= x - 1 {
		best := &d.best[node.best+(int32(bits.TrailingZeros32(x))-low)*d.stride]
		*best = max(*best, pair)
	}
}

// span returns the set of orders from low to high.
func span(low, high int32) uint32 {
	return uint32(2)<<high - uint32(1)<<low
}
