package sp80090b

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactCritbinom is 1 + critbinom(n, p, 1 - 2^-a), with terms from one another.
func exactCritbinom(n int, p *big.Float, a int) int {
	one := new(big.Float).SetPrec(precision).SetInt64(1)
	odds := new(big.Float).SetPrec(precision).Sub(one, p)
	odds.Quo(odds, p)
	term := new(big.Float).SetPrec(precision).Set(one)
	for range n { // p^n
		term.Mul(term, p)
	}
	tail := new(big.Float).SetPrec(precision).Set(term)
	alpha := new(big.Float).SetMantExp(big.NewFloat(1), -a)
	k := n
	for tail.Cmp(alpha) <= 0 {
		term.Mul(term, new(big.Float).SetPrec(precision).SetInt64(int64(k)))
		term.Quo(term, new(big.Float).SetPrec(precision).SetInt64(int64(n-k+1)))
		term.Mul(term, odds)
		tail.Add(tail, term)
		k--
	}
	return 1 + k
}

// TestLagCutoffs compares with a table that was computed with 80 digits, and with exact arithmetic.
func TestLagCutoffs(t *testing.T) {
	for _, test := range []struct {
		claim       claim
		alpha       Alpha
		window, run int
	}{
		{claim{1, 1}, 30, 8573, 43},
		{claim{1, 1}, 60, 8750, 73},
		{claim{1, 2}, 30, 11928, 85},
		{claim{1, 2}, 60, 12086, 145},
		{claim{1, 3}, 30, 13306, 126},
		{claim{1, 3}, 60, 13445, 216},
		{claim{1, 5}, 30, 14511, 206},
		{claim{1, 5}, 60, 14624, 356},
		{claim{1, 8}, 30, 15225, 324},
		{claim{1, 8}, 60, 15317, 564},
	} {
		window, run := LagCutoffs(test.alpha, test.claim.float())
		if window != test.window || run != test.run {
			t.Errorf("H = %v, 2^-%d: got %d, %d, want %d, %d", test.claim, test.alpha, window, run, test.window, test.run)
		}
		if testing.Short() {
			continue
		}
		if exact := exactCritbinom(lagPredictions, exactProbability(test.claim), int(test.alpha)); window != exact {
			t.Errorf("H = %v, 2^-%d: got %d, exactly it is %d", test.claim, test.alpha, window, exact)
		}
	}
	// The same sum as that of APT.
	for _, h := range []float64{0.125, 0.5, 1, 3.3, 8} {
		if got, want := 1+critbinom(WindowNonBinary, h, 30), APTCutoff(30, h, WindowNonBinary); got != want {
			t.Errorf("H = %v: got %d, APT %d", h, got, want)
		}
	}
	// A claim of next to nothing leaves nothing to find.
	if window, run := LagCutoffs(60, 0.001); window != lagPredictions+1 || run < 60000 {
		t.Errorf("H = 0.001: got %d, %d", window, run)
	}
}

// unpredictable returns n samples in which no sample equals any of the 8 before.
func unpredictable(n int) []byte {
	samples := make([]byte, n)
	for i := range samples {
		samples[i] = byte(i)
	}
	return samples
}

// alarms feeds samples and returns the indexes of the first alarm of each level, -1 if none.
func alarms(test *LagTest, samples []byte) (intermittent, permanent int) {
	intermittent, permanent = -1, -1
	for i, sample := range samples {
		v := test.Add(sample)
		if v >= Intermittent && intermittent < 0 {
			intermittent = i
		}
		if v == Permanent && permanent < 0 {
			permanent = i
		}
	}
	return intermittent, permanent
}

// TestLagInducedRun plants runs of right predictions of just under and just at the cutoffs.
func TestLagInducedRun(t *testing.T) {
	for _, h := range []float64{1, 0.5, 1.0 / 3, 1.0 / 5, 1.0 / 8} {
		for lag := 1; lag <= lagDepth; lag++ {
			lagTest, err := NewLagTest(h, 30, 60)
			if err != nil {
				t.Fatal(err)
			}
			low, high := lagTest.RunCutoffs()
			for _, n := range []int{low - 1, low, high - 1, high} {
				lagTest.Reset()
				samples := unpredictable(1000)
				// Repeats of lag samples predict n right: n and the one whose hit makes that lag the best.
				const at = 100
				hits := n
				if lag > 1 {
					hits++ // lag 1 is in use from the start
				}
				for i := at; i < at+hits; i++ {
					samples[i] = samples[i-lag]
				}
				i, p := alarms(lagTest, samples)
				wantI, wantP := -1, -1
				if n >= low {
					wantI = at + hits - n + low - 1
				}
				if n >= high {
					wantP = at + hits - n + high - 1
				}
				if i != wantI || p != wantP {
					t.Errorf("H = %v, lag %d, run of %d: alarms at %d, %d, want %d, %d", h, lag, n, i, p, wantI, wantP)
				}
			}
		}
	}
}

// TestLagInducedWindow makes right predictions just too frequent in a window, never long in a row.
func TestLagInducedWindow(t *testing.T) {
	for _, h := range []float64{1, 0.5, 1.0 / 3, 1.0 / 5, 1.0 / 8} {
		lagTest, err := NewLagTest(h, 30, 60)
		if err != nil {
			t.Fatal(err)
		}
		low, high := lagTest.Cutoffs()
		for _, n := range []int{low - 1, low, high - 1, high} {
			lagTest.Reset()
			samples, last := spreadHits(n)
			i, p := alarms(lagTest, samples)
			if (i >= 0) != (n >= low) || (p >= 0) != (n >= high) || n == low && i != last || n == high && p != last {
				t.Errorf("H = %v, %d right: alarms at %d, %d; cutoffs %d, %d, last hit at %d", h, n, i, p, low, high, last)
			}
			// The alarm ends with the window.
			if v := lagTest.Add(samples[len(samples)-1]); v != OK {
				t.Errorf("H = %v, %d right: %v after the window", h, n, v)
			}
		}
	}
}

// spreadHits returns a window in which n samples equal the one before, evenly spread, and the index
// of the last of them.
func spreadHits(n int) (samples []byte, last int) {
	samples = make([]byte, LagWindow)
	done := 0
	next := byte(0)
	for i := range samples {
		if want := max(0, i-lagDepth+1) * n / lagPredictions; i >= lagDepth && done < want {
			samples[i] = samples[i-1]
			done, last = done+1, i
			continue
		}
		next++
		samples[i] = next
	}
	return samples, last
}

// TestLagFindsPeriods: what RCT and APT cannot see.
func TestLagFindsPeriods(t *testing.T) {
	for period := 1; period <= lagDepth; period++ {
		lagTest, err := NewLagTest(0.5, 30, 60)
		if err != nil {
			t.Fatal(err)
		}
		samples := make([]byte, 400)
		for i := range samples {
			samples[i] = byte(40 + i%period)
		}
		if i, v := lagTest.Scan(samples); v != Intermittent || i > 120 {
			t.Errorf("period %d: %v at %d", period, v, i)
		}
	}
}

// TestLagGoodData: a source that is no better than claimed raises no alarm.
func TestLagGoodData(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, h := range []float64{4, 1, 0.5, 1.0 / 8} {
		lagTest, err := NewLagTest(h, 30, 60)
		if err != nil {
			t.Fatal(err)
		}
		p := math.Exp2(-h)
		for i := range 20 * LagWindow {
			sample := byte(0)
			if rng.Float64() >= p {
				sample = byte(1 + rng.IntN(255))
			}
			if v := lagTest.Add(sample); v != OK {
				t.Fatalf("H = %v, sample %d: %v", h, i, v)
			}
		}
	}
}

// TestLagAgainstPlain compares with the section's steps written out.
func TestLagAgainstPlain(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		values := 1 + int(seed)
		lagTest, err := NewLagTest(0.5, 30, 60)
		if err != nil {
			t.Fatal(err)
		}
		var samples []byte
		var scores [lagDepth + 1]int
		best, right, streak := 1, 0, 0
		for i := range LagWindow {
			sample := byte(rng.IntN(values))
			if rng.IntN(3) == 0 && i > 3 {
				sample = samples[i-3]
			}
			lagTest.Add(sample)
			if i >= lagDepth {
				if samples[i-best] == sample {
					right++
					streak++
				} else {
					streak = 0
				}
				for d := 1; d <= lagDepth; d++ {
					if samples[i-d] == sample {
						if scores[d]++; scores[d] >= scores[best] {
							best = d
						}
					}
				}
			}
			samples = append(samples, sample)
			if lagTest.right != right || lagTest.streak != streak || lagTest.best+1 != best {
				t.Fatalf("seed %d, sample %d: %d, %d, %d, want %d, %d, %d", seed, i, lagTest.right, lagTest.streak, lagTest.best+1, right, streak, best)
			}
		}
	}
}

func TestEqualBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range 100000 {
		word, b := rng.Uint64(), byte(rng.Uint32())
		for i := range 8 {
			switch rng.IntN(4) {
			case 0:
				word = word&^(0xFF<<(8*i)) | uint64(b)<<(8*i)
			case 1: // next to it
				word = word&^(0xFF<<(8*i)) | uint64(b^1<<rng.IntN(8))<<(8*i)
			}
		}
		var want uint64
		for i := range 8 {
			if byte(word>>(8*i)) == b {
				want |= 0x80 << (8 * i)
			}
		}
		if got := equalBytes(word, b); got != want {
			t.Fatalf("%#x, %#x: got %#x, want %#x", word, b, got, want)
		}
	}
}

func TestLagBadArguments(t *testing.T) {
	for _, test := range []struct {
		h                       float64
		intermittent, permanent Alpha
	}{{0, 30, 60}, {8.5, 30, 60}, {math.NaN(), 30, 60}, {1, 0, 60}, {1, 30, 0}, {1, 60, 30}} {
		if lagTest, err := NewLagTest(test.h, test.intermittent, test.permanent); err == nil {
			t.Errorf("%+v: %v", test, lagTest)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("LagCutoffs(30, 0) does not panic")
		}
	}()
	LagCutoffs(30, 0)
}

func TestLagNoAllocation(t *testing.T) {
	lagTest, err := NewLagTest(0.5, 30, 60)
	if err != nil {
		t.Fatal(err)
	}
	samples := unpredictable(4096)
	if n := testing.AllocsPerRun(20, func() { lagTest.Scan(samples); lagTest.Reset() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzLagScan(f *testing.F) {
	f.Add([]byte("abcabcabc"), byte(4))
	f.Add(make([]byte, 700), byte(1))
	f.Fuzz(func(t *testing.T, samples []byte, eighths byte) {
		h := float64(eighths%64+1) / 8
		single, err := NewLagTest(h, 30, 60)
		if err != nil {
			t.Fatal(err)
		}
		batch := *single
		for len(samples) > 0 {
			i, v := batch.Scan(samples)
			for j, sample := range samples[:min(i+1, len(samples))] {
				want := OK
				if j == i {
					want = v
				}
				if got := single.Add(sample); got != want {
					t.Fatalf("sample %d: Add says %v, Scan %v", j, got, want)
				}
			}
			samples = samples[min(i+1, len(samples)):]
		}
		if *single != batch {
			t.Error("states differ")
		}
	})
}

func BenchmarkLagTest(b *testing.B) {
	for _, values := range []int{4, 16, 256} {
		b.Run(fmt.Sprintf("values=%d", values), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			samples := make([]byte, 1<<16)
			for i := range samples {
				samples[i] = byte(rng.IntN(values))
			}
			lagTest, err := NewLagTest(0.5, 30, 60)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(samples)))
			b.ReportAllocs()
			for b.Loop() {
				lagTest.Scan(samples)
			}
		})
	}
}

func BenchmarkLagCutoffs(b *testing.B) {
	for b.Loop() {
		LagCutoffs(60, 0.5)
	}
}
