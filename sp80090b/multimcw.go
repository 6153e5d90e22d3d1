package sp80090b

import "math/bits"

// mcwWindows are the windows of the MultiMCW estimate, SP 800-90B section 6.3.7 step 1.
var mcwWindows = [...]int{63, 255, 1023, 4095}

// enoughForMCW is the number of symbols from which on NIST's tool makes the estimate:
// the largest window is full once.
const enoughForMCW = 4095 + 1

// A modeWindow knows the most common symbol among the last size ones, and of several
// that are as common, the one that came up last.
type modeWindow struct {
	size   int
	mode   byte
	others int32 // at least the count of every symbol but mode
	counts [256]int32
}

// advance moves the window on by a symbol: old leaves it, y enters. last has the latest
// position of each symbol, y included, for alphabets of k.
func (w *modeWindow) advance(old, y byte, last *[256]int32, k int) {
	w.counts[old]--
	w.counts[y]++
	switch {
	case y == w.mode:
		if old == y {
			return
		}
	case w.counts[y] >= w.counts[w.mode] && old != w.mode:
		w.others = max(w.others, w.counts[w.mode])
		w.mode = y
		return
	default:
		w.others = max(w.others, w.counts[y])
	}
	if old == w.mode && w.counts[w.mode] <= w.others {
		w.find(last, k)
	}
}

// find looks through all symbols.
func (w *modeWindow) find(last *[256]int32, k int) {
	mode, most, others := 0, int32(-1), int32(0)
	for s, count := range w.counts[:k] {
		switch {
		case count > most || count == most && last[s] > last[mode]:
			others = max(others, most)
			mode, most = s, count
		default:
			others = max(others, count)
		}
	}
	w.mode, w.others = byte(mode), others
}

// multiMCW is the multi most common in window prediction estimate, SP 800-90B section
// 6.3.7: subpredictors expect the most common symbol of the last 63, 255, 1,023 and
// 4,095. The symbols are from 0 to k-1.
func multiMCW(symbols []byte, k int, windows *[len(mcwWindows)]modeWindow, stop stopper) (float64, bool) {
	if len(symbols) < enoughForMCW {
		return 0, false
	}
	for j := range windows {
		windows[j] = modeWindow{size: mcwWindows[j]}
	}
	var (
		last   [256]int32
		score  [len(mcwWindows)]int
		winner int
		count  tally
	)
	for i, y := range symbols {
		if i >= mcwWindows[0] {
			count.add(windows[winner].mode == y)
		}
		last[y] = int32(i)
		for j := range windows {
			w := &windows[j]
			if i < w.size {
				w.counts[y]++
				if i == w.size-1 {
					w.find(&last, k)
				}
				continue
			}
			if w.mode == y {
				score[j]++
				if score[j] >= score[winner] {
					winner = j
				}
			}
			w.advance(symbols[i-w.size], y, &last, k)
		}
		if i%pollEvery == 0 && stop.stopped() {
			break
		}
	}
	return predictionEntropy(count.correct, count.longest, len(symbols)-mcwWindows[0], k), true
}

// multiMCWBits is multiMCW for bits. All windows are odd, so there is no tie.
func multiMCWBits(b *bitString, stop stopper) (float64, bool) {
	if b.n < enoughForMCW {
		return 0, false
	}
	race := newRace(len(mcwWindows))
	var ones [len(mcwWindows)]int
	var right, made [len(mcwWindows)]uint64
	b.blocks(func(start int, x uint64, n int) bool {
		for j, size := range mcwWindows {
			old := b.at(start - size)
			var predicted uint64
			switch lead := 2*ones[j] - size; {
			case lead > 128:
				predicted = ^uint64(0)
				ones[j] += bits.OnesCount64(x) - bits.OnesCount64(old)
			case lead < -128:
				ones[j] += bits.OnesCount64(x) - bits.OnesCount64(old)
			default:
				count, half := ones[j], size/2
				for t := 63; t >= 0; t-- {
					predicted = predicted<<1 | uint64(half-count)>>63
					count += int(x>>uint(t)&1) - int(old>>uint(t)&1)
				}
				ones[j] = count
			}
			right[j] = ^(predicted ^ x) & from(start, size) & (^uint64(0) << (64 - uint(n)))
		}
		for j := range made {
			made[j] = from(start, mcwWindows[0])
		}
		race.add(right[:], made[:], n)
		return start%pollEvery != 0 || !stop.stopped()
	})
	return predictionEntropy(race.correct, race.longest, b.n-mcwWindows[0], 2), true
}

// from returns the mask of those of 64 positions from start on that are not before i.
func from(start, i int) uint64 {
	return ^uint64(0) >> uint(min(64, max(0, i-start)))
}
