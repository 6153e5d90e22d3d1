package sp80090b

// lags is the number of subpredictors of the lag estimate, D in SP 800-90B section 6.3.8
// step 1.
const lags = 128

// lag is the lag prediction estimate, SP 800-90B section 6.3.8: subpredictor d expects
// the symbol of d positions before. The symbols are from an alphabet of k.
func lag(symbols []byte, k int, stop stopper) float64 {
	const far = -lags - 1
	var (
		last   [256]int  // where each symbol came up last
		before [lags]int // the same for the last positions, at the time
		score  [lags + 1]int
		winner = 1
		count  tally
	)
	for s := range last {
		last[s] = far
	}
	for i, y := range symbols {
		if i > 0 {
			count.add(symbols[i-winner] == y)
		}
		// The lags that are right, in ascending order.
		for p := last[y]; p >= i-lags; p = before[p&(lags-1)] {
			d := i - p
			score[d]++
			if score[d] >= score[winner] {
				winner = d
			}
		}
		before[i&(lags-1)] = last[y]
		last[y] = i
		if i%pollEvery == 0 && stop.stopped() {
			break
		}
	}
	return predictionEntropy(count.correct, count.longest, len(symbols)-1, k)
}

// lagBits is lag for bits: 64 of them are compared at a time.
func lagBits(b *bitString, stop stopper) float64 {
	race := newRace(lags)
	var right [lags]uint64
	b.blocks(func(start int, x uint64, n int) bool {
		near, far := b.at(start-64), b.at(start-128)
		for d := uint(1); d < 64; d++ {
			right[d-1] = ^(x ^ (x>>d | near<<(64-d)))
			right[d+63] = ^(x ^ (near>>d | far<<(64-d)))
		}
		right[63] = ^(x ^ near)
		right[127] = ^(x ^ far)
		if start < lags {
			for d := range right {
				right[d] &= from(start, d+1)
			}
		}
		if n < 64 {
			for d := range right {
				right[d] &= ^uint64(0) << (64 - uint(n))
			}
		}
		race.add(right[:], nil, n)
		return start%pollEvery != 0 || !stop.stopped()
	})
	return predictionEntropy(race.correct, race.longest, b.n-1, 2)
}
