package sp80090b

// maxOrder is the longest context of a prediction: D of MultiMMC, SP 800-90B section
// 6.3.9 step 1, and B of LZ78Y, section 6.3.10 step 1.
const maxOrder = 16

// contextTree tells which contexts of a sequence are equal. The context of order m of
// position i is the m symbols before symbol i, read backwards; one of order m+1 is also
// a pair of a context of order m and the symbol that follows it. Contexts that come up
// twice at least are the nodes of a tree: a node stands for the orders from one more
// than its parent's depth to its own depth, as the contexts of these orders come up at
// the same positions. All other contexts come up once only, and need no memory.
//
// The tree replaces the dictionaries of the standard's pseudo-code: it is known before
// the first prediction where a context comes up again, so there is nothing to search.
type contextTree struct {
	nodes []contextNode // the first is the root, of depth 0
	leaf  []int32       // the deepest node of each position

	open []int32 // nodes under construction, the root first
	last int32   // position of the last context
}

type contextNode struct {
	parent int32
	depth  int32
}

// maxDepth is the depth of the tree: pairs of the longest contexts and a symbol.
const maxDepth = maxOrder + 1

// restart, with n as the number of symbols, forgets the tree.
func (t *contextTree) restart(n int) {
	t.leaf = resize(t.leaf, n+1)
	t.nodes = append(t.nodes[:0], contextNode{})
	t.open = append(t.open[:0], 0)
	t.last = 0
	t.leaf[0] = 0
}

// visit adds contexts in lexicographic order, each by its position, with the number of
// symbols that it has in common with the one before.
func (t *contextTree) visit(positions, common []int32) {
	for k, i := range positions {
		h := min(common[k], maxDepth)
		top := t.open[len(t.open)-1]
		if t.nodes[top].depth < h {
			top = t.push(h)
			t.leaf[t.last] = top
		}
		for t.nodes[top].depth > h {
			t.open = t.open[:len(t.open)-1]
			outer := t.open[len(t.open)-1]
			if t.nodes[outer].depth < h {
				outer = t.push(h)
			}
			t.nodes[top].parent = outer
			top = outer
		}
		t.leaf[i] = top
		t.last = i
	}
}

// push opens a node.
func (t *contextTree) push(depth int32) int32 {
	v := int32(len(t.nodes))
	t.nodes = append(t.nodes, contextNode{depth: depth})
	t.open = append(t.open, v)
	return v
}

// finish ends the tree.
func (t *contextTree) finish() {
	for k := len(t.open) - 1; k > 0; k-- {
		t.nodes[t.open[k]].parent = t.open[k-1]
	}
}

// contextPath has room for the nodes of a position.
type contextPath [maxDepth]int32

// path returns the nodes of the contexts of position i, the shortest first.
func (t *contextTree) path(i int, room *contextPath) []int32 {
	k := len(room)
	for v := t.leaf[i]; v != 0; v = t.nodes[v].parent {
		k--
		room[k] = v
	}
	return room[k:]
}
