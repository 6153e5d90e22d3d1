package sp80090b

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// collected is a suffixVisitor that keeps what it gets.
type collected struct{ lengths, common []int32 }

func (c *collected) restart() { c.lengths, c.common = nil, nil }

func (c *collected) visit(lengths, common []int32) {
	c.lengths = append(c.lengths, lengths...)
	c.common = append(c.common, common...)
}

// sortedSuffixes is the slow way.
func sortedSuffixes(text []byte) *collected {
	c := &collected{}
	for i := range text {
		c.lengths = append(c.lengths, int32(len(text)-i))
	}
	suffix := func(length int32) []byte { return text[len(text)-int(length):] }
	slices.SortFunc(c.lengths, func(a, b int32) int { return bytes.Compare(suffix(a), suffix(b)) })
	for i, length := range c.lengths {
		h := int32(0)
		if i > 0 {
			a, b := suffix(c.lengths[i-1]), suffix(length)
			for int(h) < min(len(a), len(b)) && a[h] == b[h] {
				h++
			}
		}
		c.common = append(c.common, h)
	}
	return c
}

// sortBoth sorts with each of the two algorithms; the first one may give up.
func sortBoth(text []byte, width int) (radix, inductive *collected) {
	var o suffixSorter
	o.load(text, width)
	radix, inductive = &collected{}, &collected{}
	o.visitor = radix
	if o.radix() {
		o.flush()
	} else {
		radix = nil
	}
	o.fill = 0
	o.visitor = inductive
	o.inductive()
	o.flush()
	return radix, inductive
}

func TestSuffixOrder(t *testing.T) {
	texts := map[string][]byte{
		"one":      {1},
		"equal":    make([]byte, 300),
		"zeros":    append(make([]byte, 200), append([]byte{1}, make([]byte, 100)...)...),
		"banana":   []byte(strings.NewReplacer("a", "\x00", "b", "\x01", "n", "\x02").Replace("bananabananan")),
		"down":     {3, 3, 2, 2, 2, 1, 1, 0, 0, 0},
		"up":       {0, 0, 1, 1, 2, 3, 3},
		"zero end": append(uniform(3, 700, 2), make([]byte, 90)...),
	}
	for seed := range uint64(3) {
		for _, k := range []int{2, 3, 4, 9, 17, 33, 90, 256} {
			for name, s := range noises(seed, 500+k, k) {
				texts[fmt.Sprintf("%s/k=%d/seed=%d", name, k, seed)] = s
			}
		}
	}
	byRadix := 0
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			want := sortedSuffixes(text)
			for width := 1; width <= 8; width++ {
				if int(slices.Max(text))>>width > 0 {
					continue
				}
				radix, inductive := sortBoth(text, width)
				if !slices.Equal(inductive.lengths, want.lengths) || !slices.Equal(inductive.common, want.common) {
					t.Errorf("induced sort with %d bits a symbol is wrong", width)
				}
				if radix == nil {
					continue
				}
				byRadix++
				if !slices.Equal(radix.lengths, want.lengths) || !slices.Equal(radix.common, want.common) {
					t.Errorf("radix sort with %d bits a symbol is wrong", width)
				}
			}
		})
	}
	if byRadix < len(texts)/2 {
		t.Errorf("the radix sort gave up all but %d times for %d texts", byRadix, len(texts))
	}
}

// TestSuffixOrderLarge compares the two algorithms where the slow way is too slow.
func TestSuffixOrderLarge(t *testing.T) {
	for name, test := range map[string]struct {
		text  []byte
		width int
	}{
		"bits":     {uniform(5, 200_000, 2), 1},
		"bytes":    {uniform(6, 50_000, 256), 8},
		"sticky":   {sticky(7, 60_000, 16, 5), 4},
		"repeated": {repeated(8, 60_000, 256, 30), 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			radix, inductive := sortBoth(test.text, test.width)
			if radix == nil {
				t.Fatal("the radix sort gave up")
			}
			if !slices.Equal(radix.lengths, inductive.lengths) || !slices.Equal(radix.common, inductive.common) {
				t.Error("the results differ")
			}
		})
	}
}

// TestContextTree looks up contexts in the tree.
func TestContextTree(t *testing.T) {
	for name, s := range noises(11, 700, 5) {
		t.Run(name, func(t *testing.T) {
			k, _ := renumber(s, s, 8)
			if k < 2 {
				return
			}
			var x structure
			f := noFigures()
			x.assess(s, k, &f, nil)
			for m := 1; m <= maxDepth; m++ {
				nodes := map[string]int32{} // of each context, 0 if it has none
				times := map[string]int{}
				for i := m; i <= len(s); i++ {
					context := string(s[i-m : i])
					times[context]++
					var room contextPath
					node := int32(0)
					for _, v := range x.tree.path(i, &room) {
						if int(x.tree.nodes[v].depth) >= m {
							node = v
							break
						}
					}
					if before, ok := nodes[context]; ok && before != node {
						t.Fatalf("context %q of position %d has node %d and %d", context, i, before, node)
					}
					nodes[context] = node
				}
				for context, n := range times {
					if (n > 1) != (nodes[context] != 0) {
						t.Fatalf("context %q comes up %d times and has node %d", context, n, nodes[context])
					}
				}
			}
		})
	}
}
