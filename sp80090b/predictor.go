package sp80090b

import (
	"math"
	"math/bits"
)

// z99 is the 99.5 % quantile of the normal distribution, for bounds that hold with 99 %
// confidence. SP 800-90B (January 2018) section 6.3 rounds it to 2.576; NIST's tool,
// from version 1.1 on, and its reference results have these digits.
const z99 = 2.5758293035489008

// upperBound returns the upper end of the 99 % confidence interval of a probability
// estimated from n trials, SP 800-90B section 6.3.1 step 2.
func upperBound(p float64, n int) float64 {
	return min(1, p+z99*math.Sqrt(p*(1-p)/float64(n-1)))
}

// minEntropy returns -log2(p), and 0 rather than -0.
func minEntropy(p float64) float64 { return 0 - math.Log2(p) }

// predictionEntropy returns the min-entropy of symbols from an alphabet of k of which a
// predictor got correct right out of n, at most longest in a row: SP 800-90B sections
// 6.3.7 to 6.3.10, the last steps, which are the same in each. The larger of the
// bounds on the predictor's success in general and on its success in a row counts.
func predictionEntropy(correct, longest, n, k int) float64 {
	global := 1 - math.Pow(0.01, 1/float64(n))
	if correct > 0 {
		global = upperBound(float64(correct)/float64(n), n)
	}
	return minEntropy(localBound(max(1/float64(k), global), longest+1, n))
}

// localBound returns the p >= floor for which a run of r successes among n trials of
// probability p comes up with a probability of 1 %. It is floor if there a run that
// long is already likelier.
func localBound(floor float64, r, n int) float64 {
	target := math.Log(0.99)
	if floor >= 1 || !(logNoRun(floor, r, n) > target) {
		return floor
	}
	low, high := floor, 1.0
	for {
		mid := (low + high) / 2
		if mid <= low || mid >= high {
			return high
		}
		if logNoRun(mid, r, n) > target {
			low = mid
		} else {
			high = mid
		}
	}
}

// logNoRun returns the logarithm of the probability that no r successes in a row come
// up among n trials of probability p,
//
//	(1 - p x) / ((r + 1 - r x) q x^(n+1)),  x = 1 + q p^r x^(r+1),  q = 1 - p,
//
// SP 800-90B section 6.3.7 step 6, after Feller, An Introduction to Probability Theory
// and its Applications, volume 1, XIII.7. x is barely more than 1, so this keeps x - 1.
func logNoRun(p float64, r, n int) float64 {
	q, fr := 1-p, float64(r)
	if p*(fr+1) >= fr {
		return math.Inf(-1) // x = 1/p: such runs are all but certain
	}
	first := q * math.Pow(p, fr)
	e := first // x - 1
	for range 65 {
		next := first * math.Exp((fr+1)*math.Log1p(e))
		done := next-e <= 1e-17*next
		e = next
		if done {
			break
		}
	}
	if p*e >= q || fr*e >= 1 {
		return math.Inf(-1)
	}
	return math.Log1p(-p*e/q) - math.Log1p(-fr*e) - float64(n+1)*math.Log1p(e)
}

// tally counts the right predictions of the predictor in the lead.
type tally struct {
	correct int
	run     int // right predictions in a row so far
	longest int // and at most
}

func (t *tally) add(right bool) {
	if !right {
		t.run = 0
		return
	}
	t.correct++
	t.run++
	t.longest = max(t.longest, t.run)
}

// addBlock adds n predictions, the first on top of both words. made has a 0 where no
// prediction was made: that one counts neither way.
func (t *tally) addBlock(right, made uint64, n int) {
	all := ^uint64(0) << (64 - uint(n))
	if made&all != all {
		for ; n > 0; n, right, made = n-1, right<<1, made<<1 {
			if made>>63 != 0 {
				t.add(right>>63 != 0)
			}
		}
		return
	}
	t.correct += bits.OnesCount64(right & all)
	for n > 0 {
		ones := min(bits.LeadingZeros64(^right), n)
		t.run += ones
		t.longest = max(t.longest, t.run)
		if ones == n {
			return
		}
		right <<= uint(ones)
		n -= ones
		t.run = 0
		zeros := min(bits.LeadingZeros64(right), n)
		right <<= uint(zeros)
		n -= zeros
	}
}

// A race is the scoreboard of subpredictors, of which the one in the lead predicts. It
// takes 64 predictions at a time: only subpredictors that can take the lead within
// them are followed step by step, and mostly there is none.
type race struct {
	tally
	score  []int
	winner int
	rivals []int
}

func newRace(predictors int) *race {
	return &race{score: make([]int, predictors), rivals: make([]int, 0, predictors)}
}

// add adds n predictions, the first on top. right has a word for each subpredictor, 1
// for a right prediction, and no bits after the n. made has a 1 for each prediction
// made; nil means that one not made counts as a wrong one.
//
// A subpredictor scores a point for a right prediction, in ascending order, and takes
// the lead when it has as many points as the leader has just then, SP 800-90B section
// 6.3.7 step 3d. So one later in order takes the lead with a tie, and the leader is
// never behind. To draw level with a leader that is k points ahead, another must be
// right k times where the leader is wrong.
func (r *race) add(right, made []uint64, n int) {
	leader := r.winner
	lead, own := r.score[leader], right[leader]
	rivals := r.rivals[:0]
	for j, x := range right {
		if behind := lead - r.score[j]; behind <= 64 {
			gain := x &^ own
			if bits.OnesCount64(gain) >= behind && (gain != 0 || j > leader && x != 0) || j == leader {
				rivals = append(rivals, j)
				continue
			}
		}
		r.score[j] += bits.OnesCount64(x)
	}
	if len(rivals) == 1 {
		r.score[leader] += bits.OnesCount64(own)
		valid := ^uint64(0)
		if made != nil {
			valid = made[leader]
		}
		r.addBlock(own, valid, n)
		return
	}
	hits, valid := uint64(0), ^uint64(0)
	for t := range uint(n) {
		top := uint64(1) << 63 >> t
		hits |= right[r.winner] & top
		if made != nil && made[r.winner]&top == 0 {
			valid &^= top
		}
		for _, j := range rivals {
			if right[j]&top != 0 {
				r.score[j]++
				if r.score[j] >= r.score[r.winner] {
					r.winner = j
				}
			}
		}
	}
	r.addBlock(hits, valid, n)
}
