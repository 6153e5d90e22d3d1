package sp80090b

import "math/bits"

// Scratch is memory that AssessLiteral uses again and again, so that a check of live
// samples makes no garbage: only a call with more samples than any before allocates, 100
// bytes for each sample. That is 0.4 MB for 4,096 samples and 1.7 MB for 16,384. The
// zero value is ready to use, by one goroutine at a time.
type Scratch struct {
	symbols []byte // from 0 to k-1
	shape   structure
	windows [len(mcwWindows)]modeWindow
	list    [estimators]Estimate
}

// AssessLiteral makes the seven estimates of SP 800-90B section 6.3 that apply to
// symbols of more than one bit: Most Common Value, t-Tuple, LRS, MultiMCW, Lag, MultiMMC
// and LZ78Y. It is for a check of a few thousand samples of a source in use, where the
// full assessment of a million, by Assess, is out of the question. The low symbolBits
// bits of each sample count. A short window says little about a good source, but a
// predictable one shows up in it.
//
// An estimator that cannot judge so few samples is missing from the result: MultiMCW
// needs 4,096, t-Tuple a symbol that comes up 35 times. Fewer than MinSamples give no
// estimate at all. If all samples are equal, every estimate is 0.
//
// The result is valid until the next call with s.
func AssessLiteral(samples []byte, symbolBits int, s *Scratch) Estimates {
	n := len(samples)
	if n < MinSamples {
		return nil
	}
	if n > cap(s.symbols) {
		s.shape.reserve(n)
	}
	s.symbols = resize(s.symbols, n)
	k, counts := renumber(s.symbols, samples, symbolBits)
	if k == 1 {
		f := zeroFigures(false)
		return f.estimates(s.list[:0])
	}
	f := noFigures()
	f[nameMCV] = mostCommonValue(counts[:], n)
	s.shape.assess(s.symbols, k, &f, nil)
	h, ok := multiMCW(s.symbols, k, &s.windows, nil)
	f.set(nameMultiMCW, h, ok)
	f[nameLag] = lag(s.symbols, k, nil)
	return f.estimates(s.list[:0])
}

// structure makes the estimates that follow from where samples repeat: a sort of all
// contexts of the symbols, the symbols before each, is all that these need of them.
type structure struct {
	sorter   suffixSorter
	repeats  repeats
	tree     contextTree
	mmc      mmc
	lz       lz
	reversed []byte
}

// reserve allocates all that the estimates of up to n symbols can take. What exists is
// given up first.
func (s *structure) reserve(n int) {
	*s = structure{
		repeats: repeats{
			open:   make([]interval, 0, n+1),
			levels: make([]level, 0, n+1),
		},
		tree: contextTree{
			nodes: make([]contextNode, 0, n+1),
			leaf:  make([]int32, n+1),
			open:  make([]int32, 0, maxDepth+1),
		},
		mmc: mmc{
			nodes: make([]mmcNode, n+1),
			best:  make([]uint64, 0, n+1),
		},
		lz:       lz{nodes: make([]lzNode, n+1)},
		reversed: make([]byte, n),
	}
	s.sorter.reserve(n)
}

func (s *structure) restart() {
	s.repeats.size = len(s.reversed)
	s.repeats.restart()
	s.tree.restart(len(s.reversed))
}

func (s *structure) visit(lengths, common []int32) {
	s.repeats.visit(lengths, common)
	s.tree.visit(lengths, common)
}

// assess makes the t-tuple, LRS, MultiMMC and LZ78Y estimates of symbols from 0 to k-1.
func (s *structure) assess(symbols []byte, k int, f *figures, stop stopper) {
	n := len(symbols)
	// The suffixes of the reversed symbols are the contexts, read backwards. Each tuple
	// repeats as often in reverse.
	s.reversed = resize(s.reversed, n)
	for i, y := range symbols {
		s.reversed[n-1-i] = y
	}
	s.sorter.stop = stop
	s.sorter.load(s.reversed, bits.Len(uint(k-1)))
	s.sorter.sort(s)
	if stop.stopped() {
		return
	}
	s.tree.finish()
	f[nameTTuple], f[nameLRS] = s.repeats.estimates(stop)
	f[nameMultiMMC] = s.mmc.multiMMC(&s.tree, symbols, k, maxPairs, stop)
	f[nameLZ78Y] = s.lz.lz78y(&s.tree, symbols, k, maxContexts, stop)
}

// renumber numbers the values of the low width bits of samples that come up from 0 on,
// in ascending order, and returns how many there are, and how often each comes up. NIST's
// tool does so, and takes that number for the size of the alphabet.
func renumber(symbols, samples []byte, width int) (k int, counts [256]int) {
	mask := byte(1)<<width - 1
	for i, s := range samples {
		symbols[i] = s & mask
		counts[s&mask]++
	}
	var number [256]byte
	for s, count := range counts {
		if count > 0 {
			number[s] = byte(k)
			counts[s] = 0
			counts[k] = count
			k++
		}
	}
	if k <= int(mask) {
		for i, s := range symbols {
			symbols[i] = number[s]
		}
	}
	return k, counts
}

// zeroFigures is what symbols that are all equal get.
func zeroFigures(binary bool) figures {
	f := noFigures()
	for i := range f {
		if binary || i < nameCollision || i > nameCompression {
			f[i] = 0
		}
	}
	return f
}
