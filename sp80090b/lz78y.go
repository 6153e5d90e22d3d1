package sp80090b

// maxContexts is how many contexts the dictionary may hold, maxDictionarySize in SP
// 800-90B section 6.3.10 step 1.
const maxContexts = 65_536

// lzNode is what LZ78Y knows of a node of a contextTree: of its contexts, and of it as
// pairs.
type lzNode struct {
	best uint64 // of its pairs, the most frequent: frequency << 8 | symbol
	seen int32  // times that it came up as a pair
	held bool   // the dictionary has a context of this node
}

// lz is the state of lz78y, and memory to be used again.
type lz struct {
	nodes []lzNode
	space int // contexts that still fit
}

// lz78y is the LZ78Y prediction estimate, SP 800-90B section 6.3.10: of all contexts of
// 1 to 16 symbols in one dictionary, the pair of context and symbol that came up most
// often predicts; of several that came up as often, the one with the longest context
// and then the largest symbol. The symbols are from an alphabet of k, limit is the size
// of the dictionary.
func (d *lz) lz78y(t *contextTree, symbols []byte, k, limit int, stop stopper) float64 {
	d.nodes = resize(d.nodes, len(t.nodes))
	clear(d.nodes)
	d.space = limit
	var count tally
	var rooms [2]contextPath
	path := t.path(maxOrder, &rooms[1])
	for i := maxOrder; i < len(symbols); i++ {
		y := symbols[i]
		if i > maxOrder {
			count.add(d.predict(path) == int(y))
		}
		pairs := t.path(i+1, &rooms[i&1])
		d.learn(t, path, pairs, y)
		path = pairs
		if i%pollEvery == 0 && stop.stopped() {
			break
		}
	}
	return predictionEntropy(count.correct, count.longest, len(symbols)-maxOrder-1, k)
}

// predict returns the symbol expected after the contexts of path, or -1.
//
// A longer context cannot be more frequent than the end of it, so one that is less
// frequent ends the search. That holds for contexts that found no room as well, which
// are counted like the others.
func (d *lz) predict(path []int32) int {
	symbol, most := -1, uint64(0)
	for _, v := range path {
		node := &d.nodes[v]
		if node.best == 0 || node.best>>8 < most {
			break
		}
		if node.held {
			symbol, most = int(byte(node.best)), node.best>>8
		}
	}
	return symbol
}

// learn counts the pairs of the contexts of path and symbol y: they are the contexts of
// the next position.
func (d *lz) learn(t *contextTree, path, pairs []int32, y byte) {
	low := int32(1)
	fresh := int32(0) // the shortest context that is new, if any is
	next := 0
	for _, v := range path {
		high := min(t.nodes[v].depth, maxOrder)
		if low > high {
			break
		}
		node := &d.nodes[v]
		if node.best == 0 {
			if fresh == 0 {
				fresh = low
			}
			node.held = int(high) > maxOrder-d.space // the longest get in first
		}
		// The contexts of a node come up together, and so do their pairs with y: they
		// are of one node as well, or come up just this once.
		for next < len(pairs) && t.nodes[pairs[next]].depth <= high {
			next++
		}
		seen := int32(1)
		if next < len(pairs) {
			seen += d.nodes[pairs[next]].seen
		}
		node.best = max(node.best, uint64(seen)<<8|uint64(y))
		low = high + 1
	}
	if fresh == 0 {
		fresh = low // of those that come up just once
	}
	d.space -= min(d.space, int(maxOrder+1-fresh))
	for _, v := range pairs {
		d.nodes[v].seen++
	}
}

// lz78yBits is lz78y for bits, with a table of pairs for each order. Once every context
// of two bits was followed by both values, a longer context than one bit can no longer
// be as frequent as its end, and only the contexts of one bit count.
func lz78yBits(b *bitString, limit int, stop stopper) float64 {
	var (
		tables [maxOrder + 1][][2]uint32
		count  tally
		space  = limit
		i      = maxOrder
	)
	for m := 1; m <= maxOrder; m++ {
		tables[m] = make([][2]uint32, 1<<m)
	}
	for ; i < b.n; i++ {
		if i&63 == 0 && onlyOneBit(tables[1], tables[2]) || i%pollEvery == 0 && stop.stopped() {
			break
		}
		history := b.at(i-maxOrder) >> (64 - maxOrder)
		y := b.at(i) >> 63
		predicted, most := uint64(2), uint32(0)
		for m := maxOrder; m > 0; m-- {
			v := &tables[m][history&(1<<m-1)]
			symbol := uint64(1)
			if v[0] > v[1] {
				symbol = 0
			}
			if v[symbol] > most {
				predicted, most = symbol, v[symbol]
			}
			if v[symbol] > 0 {
				v[y]++
			} else if space > 0 {
				v[y] = 1
				space--
			}
		}
		if i > maxOrder {
			count.add(predicted == y)
		}
	}
	// How many more ones than zeros came after a 0 and after a 1.
	ahead := [2]int{}
	for c, v := range tables[1] {
		ahead[c] = int(v[1]) - int(v[0])
	}
	for ; i < b.n && (i%pollEvery != 0 || !stop.stopped()); i += 64 {
		x := b.at(i)
		n := min(64, b.n-i)
		right := uint64(0)
		c := b.at(i-1) >> 63
		for t := range uint(n) {
			y := x << t >> 63
			predicted := uint64(^ahead[c]) >> 63 // a tie is a 1
			right = right<<1 | (predicted ^ y ^ 1)
			ahead[c] += int(y)*2 - 1
			c = y
		}
		count.addBlock(right<<uint(64-n), ^uint64(0), n)
	}
	return predictionEntropy(count.correct, count.longest, b.n-maxOrder-1, 2)
}

// onlyOneBit reports whether contexts of one bit decide from now on.
func onlyOneBit(one, two [][2]uint32) bool {
	for _, v := range one {
		if v[0]|v[1] == 0 {
			return false
		}
	}
	for _, v := range two {
		if v[0] == 0 || v[1] == 0 {
			return false
		}
	}
	return true
}
