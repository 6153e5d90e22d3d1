package sp80090b

import (
	"fmt"
	"math"
	"math/bits"
)

const (
	// LagWindow is the number of samples after which LagTest starts anew. A short window finds a
	// predictable source within one start-up test; SP 800-90B leaves it to the developer.
	LagWindow = 16384
	// lagDepth is how many samples back LagTest looks.
	lagDepth = 8
	// lagPredictions is how many samples of a window have a prediction.
	lagPredictions = LagWindow - lagDepth
)

// LagTest is a health test of the developer's own, as SP 800-90B section 4.5 allows beside RCT and
// APT: it raises an alarm if samples can be told from those before. It plays the lag predictor of
// section 6.3.8 with 8 lags: each sample is predicted to equal the one that many samples back whose
// lag was right most often in this window. Too many right predictions in a window, or too many in a
// row, are an alarm. Neither RCT nor APT sees a short period, such as the beat of a regular process
// with a coarse clock. Make one with NewLagTest.
type LagTest struct {
	window cutoffs // of right predictions in a window
	run    cutoffs // of right predictions in a row

	history uint64 // the last 8 samples, the latest in the low byte
	scores  [lagDepth]uint16
	best    int // lag in use, less one
	seen    int // samples of this window
	right   int // right predictions of this window
	streak  int // right predictions in a row
}

// NewLagTest returns a test for a source with a claimed min-entropy of h bits per sample and the
// probabilities of a false alarm in a window, as for NewRCT.
func NewLagTest(h float64, intermittent, permanent Alpha) (*LagTest, error) {
	err := validate(h, intermittent, permanent)
	if err == nil {
		err = validatePair(intermittent, permanent)
	}
	if err != nil {
		return nil, fmt.Errorf("set up lag test: %w", err)
	}
	t := &LagTest{}
	t.window.intermittent, t.run.intermittent = LagCutoffs(intermittent, h)
	t.window.permanent, t.run.permanent = LagCutoffs(permanent, h)
	return t, nil
}

// LagCutoffs returns the numbers of right predictions that are an alarm: in a window,
// 1 + critbinom(n, 2^-H, 1-alpha) of n = 16376, and in a row, the ceiling of
// (-log2(alpha) + log2(n (1 - 2^-H))) / H, beyond which a run comes up with a probability of
// alpha at most: each run of r starts with a wrong prediction, followed by r right ones. A window
// cutoff of n+1 is out of reach. LagCutoffs panics if an argument is out of range.
func LagCutoffs(alpha Alpha, h float64) (window, run int) {
	if err := validate(h, alpha); err != nil {
		panic("sp80090b: " + err.Error())
	}
	const n = lagPredictions
	starts := math.Log2(n * -math.Expm1(-h*math.Ln2))
	r := min(math.Ceil((float64(alpha)+max(starts, 0))/h), math.MaxInt32)
	return 1 + critbinom(n, h, alpha), int(r)
}

// critbinom returns the smallest k for which more than k successes in n trials, each with a
// probability of 2^-h, have a probability of alpha at most.
func critbinom(n int, h float64, alpha Alpha) int {
	trials := float64(n)
	if trials*h < float64(alpha) { // n of n is likelier than alpha
		return n
	}
	logP := -h * math.Ln2
	logQ := math.Log(-math.Expm1(logP))
	// More than mean + t successes have a probability of at most exp(-2 t^2 / n) (Hoeffding), so
	// what lies above this start adds up to far less than alpha.
	t := math.Sqrt(trials / 2 * math.Ln2 * float64(alpha+64))
	k := min(n, int(trials*math.Exp(logP)+t)+1)
	term := math.Exp(logChoose(trials, float64(k)) + float64(k)*logP + float64(n-k)*logQ)
	odds := math.Exp(logQ - logP)
	limit := alpha.Float64()
	for tail := term; tail <= limit && k > 0; tail += term {
		term *= float64(k) / float64(n-k+1) * odds // P(X = k-1) from P(X = k)
		k--
	}
	return k // P(X >= k) > alpha, P(X > k) <= alpha
}

// Cutoffs returns the numbers of right predictions in a window that raise the two alarms.
func (t *LagTest) Cutoffs() (intermittent, permanent int) {
	return t.window.intermittent, t.window.permanent
}

// RunCutoffs returns the numbers of right predictions in a row that raise the two alarms.
func (t *LagTest) RunCutoffs() (intermittent, permanent int) {
	return t.run.intermittent, t.run.permanent
}

// Add tests the next sample. The verdict is an alarm from the sample that reaches a cutoff to the
// end of the run of right predictions or of the window.
func (t *LagTest) Add(sample byte) Verdict {
	if t.seen == LagWindow {
		t.Reset()
	}
	equal := equalBytes(t.history, sample)
	t.history = t.history<<8 | uint64(sample)
	t.seen++
	if t.seen <= lagDepth {
		return OK
	}
	if equal>>(8*t.best+7)&1 != 0 {
		t.right++
		t.streak++
	} else {
		t.streak = 0
	}
	// Section 6.3.8, step 3c: of lags that were right equally often the one examined last wins.
	for ; equal != 0; equal &= equal - 1 {
		lag := bits.TrailingZeros64(equal) / 8
		t.scores[lag]++
		if t.scores[lag] >= t.scores[t.best] {
			t.best = lag
		}
	}
	if t.right < t.window.intermittent && t.streak < t.run.intermittent {
		return OK
	}
	return max(t.window.judge(t.right), t.run.judge(t.streak))
}

// Scan tests samples as Add does, up to the first that raises an alarm. It returns the index and
// the verdict of that one, or len(samples) and OK. Samples after an alarm have not been tested.
func (t *LagTest) Scan(samples []byte) (int, Verdict) {
	for i, sample := range samples {
		if v := t.Add(sample); v != OK {
			return i, v
		}
	}
	return len(samples), OK
}

// Reset forgets the samples so far; the next one starts a window.
func (t *LagTest) Reset() {
	*t = LagTest{window: t.window, run: t.run}
}

// equalBytes returns the top bit of each byte of word that equals b.
func equalBytes(word uint64, b byte) uint64 {
	const (
		ones = 0x0101010101010101
		low  = 0x7F * ones
	)
	differ := word ^ ones*uint64(b)
	// A byte's low seven bits plus 0x7F reach its top bit unless they are zero; nothing carries over.
	return ^((differ&low + low) | differ | low)
}
