package source_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
)

// rates are sources as fast as the borders between numbers of failures in a row.
var rates = []struct {
	perSecond float64
	inARow    int
}{{0, 8}, {20, 8}, {10e3, 8}, {10.1e3, 10}, {1e6, 10}, {1.1e6, 12}, {1e9, 12}}

// TestWeights recomputes the weights from the two failure rates that the test tells apart.
func TestWeights(t *testing.T) {
	const p0, p1 = fips.ChanceAny, 0.008
	var c source.Cusum
	c.Expect(0, 0)
	fail, pass, _ := c.Weights()
	if want := math.Log(p1/p0) / math.Log((1-p0)/(1-p1)); math.Abs(float64(fail)/float64(pass)-want) > 1.5 {
		t.Errorf("weights %d to %d, the ratio of the logarithms is %.1f", fail, pass, want)
	}
	for _, r := range rates {
		var c source.Cusum
		c.Expect(r.perSecond, 0)
		n := 0
		for ; !c.FailsOften(); n++ {
			c.Add(true)
		}
		if n != r.inARow {
			t.Errorf("at %g bytes a second the alarm comes with failure %d in a row, want %d", r.perSecond, n, r.inARow)
		}
	}
}

// meanBlocks returns the mean number of blocks to the alarm when each fails with probability p. With
// E(s) for the score s,
//
//	E(s) = 1 + (1-p) E(max(s-pass, 0)) + p E(s+fail),  E = 0 from the alarm on.
//
// With pass = 1 it gives E(s-1) from what is above it. All E are then known but for the topmost,
// in which they are linear, and the equation for s = 0 yields that.
//
// The numbers grow as (1-p)^-alarm and nearly cancel, hence the precision.
func meanBlocks(p float64, fail, alarm int) float64 {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(1024).SetFloat64(x) }
	zero := func() []*big.Float { // E(s) = a(s) + b(s) E(alarm-1)
		v := make([]*big.Float, alarm+fail)
		for i := range v {
			v[i] = num(0)
		}
		return v
	}
	a, b := zero(), zero()
	b[alarm-1] = num(1)
	for s := alarm - 1; s > 0; s-- {
		step := func(v []*big.Float, one float64) {
			v[s-1].Mul(num(p), v[s+fail])
			v[s-1].Sub(v[s], v[s-1])
			v[s-1].Sub(v[s-1], num(one))
			v[s-1].Quo(v[s-1], num(1-p))
		}
		step(a, 1)
		step(b, 0)
	}
	top := new(big.Float).Quo(num(1), num(p))
	top.Sub(top, a[0]).Add(top, a[fail])
	top.Quo(top, new(big.Float).Sub(b[0], b[fail]))
	mean, _ := top.Mul(top, b[0]).Add(top, a[0]).Float64()
	return mean
}

// simulateBlocks is the same by simulation.
func simulateBlocks(rate, p float64, runs int) float64 {
	rnd := rand.New(rand.NewPCG(1, 2))
	blocks := 0
	for range runs {
		var c source.Cusum
		c.Expect(rate, 0)
		for !c.FailsOften() {
			c.Add(rnd.Float64() < p)
			blocks++
		}
	}
	return float64(blocks) / float64(runs)
}

// TestBlocksToAlarm computes and simulates how soon the alarm comes, against the published figures.
func TestBlocksToAlarm(t *testing.T) {
	for _, tt := range []struct {
		rate    float64
		p, want float64
	}{
		{0, fips.ChanceAny, 3.99e9},
		{20e3, fips.ChanceAny, 4.01e11},
		{2e6, fips.ChanceAny, 4.0e13},
		{0, 0.004, 6174},
		{0, 0.008, 1420},
		{20e3, 0.008, 1828},
		{2e6, 0.008, 2240},
		{0, 0.02, 429},
		{20e3, 0.02, 548},
		{2e6, 0.02, 667},
		{20e3, 0.05, 200},
		{0, 0.125, 64},
		{20e3, 0.125, 80},
		{2e6, 0.125, 96},
	} {
		t.Run(fmt.Sprintf("%g B per s failing %g", tt.rate, tt.p), func(t *testing.T) {
			var c source.Cusum
			c.Expect(tt.rate, 0)
			fail, _, alarm := c.Weights()
			got := meanBlocks(tt.p, fail, alarm)
			if math.Abs(got/tt.want-1) > 0.015 {
				t.Errorf("mean blocks to the alarm %.4g, want %.4g", got, tt.want)
			}
			if tt.p < 0.001 {
				return
			}
			const runs = 2000
			if sim := simulateBlocks(tt.rate, tt.p, runs); math.Abs(sim/got-1) > 0.08 {
				t.Errorf("simulated %.4g, computed %.4g", sim, got)
			} else {
				t.Logf("computed %.1f, simulated %.1f", got, sim)
			}
		})
	}
}

// TestManyBlocks judges by many blocks: ten failures in ten thousand are chance, ten in a row never.
func TestManyBlocks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		every  int // one of so many blocks fails
		blocks int
		alarm  int // raised by this block, 0 for none
	}{
		{"ten in ten thousand", 1000, 10_000, 0},
		{"chance", 1258, 1_000_000, 0},
		{"just what a pass makes good", 321, 1_000_000, 0},
		{"one in a hundred", 100, 10_000, 1300},
		{"one in eight", 8, 10_000, 80},
		{"dead", 1, 100, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c source.Cusum
			c.Expect(20e3, 0)
			got := 0
			for i := 1; i <= tt.blocks && got == 0; i++ {
				if c.Add(i%tt.every == 0); c.FailsOften() {
					got = i
				}
			}
			if got != tt.alarm {
				t.Errorf("alarm at block %d, want %d", got, tt.alarm)
			}
		})
	}
}

// TestSlowDrift: a source that ages, from chance to one block in fifty over half a million blocks.
func TestSlowDrift(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var c source.Cusum
		c.Expect(20e3, 0)
		const length = 500_000
		at, suspect := 0, 0
		for i := 1; i <= length && at == 0; i++ {
			p := fips.ChanceAny + float64(i)/length*(0.02-fips.ChanceAny)
			c.Add(rnd.Float64() < p)
			if c.FailsMore() && suspect == 0 {
				suspect = i
			}
			if c.FailsOften() {
				at = i
			}
		}
		if at == 0 || suspect == 0 || suspect >= at {
			t.Errorf("seed %d: suspect at block %d, alarm at %d", seed, suspect, at)
		}
	}
}

// TestHalfWay: suspect at half of the alarm, and back at a quarter.
func TestHalfWay(t *testing.T) {
	var c source.Cusum
	c.Expect(20e3, 0)
	for range 4 {
		c.Add(true)
	}
	if c.FailsMore() {
		t.Error("suspect after four failures")
	}
	c.Add(true)
	if !c.FailsMore() || c.FailsOften() {
		t.Error("not suspect after five failures")
	}
	if got := c.FailureRate(); got != 1 {
		t.Errorf("failure rate %v", got)
	}
	n := 0
	for ; !c.Recovered(); n++ {
		c.Add(false)
	}
	if want := 5*320 - 2881/4; n != want {
		t.Errorf("recovered after %d blocks, want %d", n, want)
	}
	for range 2881 {
		c.Add(false)
	}
	if c.Add(true); c.FailureRate() != 1 {
		t.Errorf("old failures count: %v", c.FailureRate())
	}
}

// TestDocumentedRate: a part that fails one block in eight by design keeps running at that rate, and
// is found when it fails half of its blocks.
func TestDocumentedRate(t *testing.T) {
	blocksToAlarm := func(p float64, limit int) int {
		rnd := rand.New(rand.NewPCG(4, 5))
		var c source.Cusum
		c.Expect(20e3, 0.125)
		for i := 1; i <= limit; i++ {
			if c.Add(rnd.Float64() < p); c.FailsOften() {
				return i
			}
		}
		return 0
	}
	if at := blocksToAlarm(0.125, 3_000_000); at != 0 {
		t.Errorf("alarm at block %d although it fails as documented", at)
	}
	if at := blocksToAlarm(0.5, 1000); at == 0 || at > 200 {
		t.Errorf("half of the blocks fail: alarm at block %d", at)
	}
	if at := blocksToAlarm(1, 1000); at == 0 || at > 25 {
		t.Errorf("dead: alarm at block %d", at)
	}
}

// TestExpectKeepsScore: a source that turns out faster is judged on, not anew.
func TestExpectKeepsScore(t *testing.T) {
	var c source.Cusum
	c.Expect(0, 0)
	for range 7 {
		c.Add(true)
	}
	c.Expect(20e3, 0)
	c.Add(true)
	if c.FailsOften() {
		t.Error("eight failures are too many for a source of 20 kB/s")
	}
	c.Expect(0, 0) // the estimate of the rate goes up and down, the limit only up
	if _, _, alarm := c.Weights(); alarm != 2881 {
		t.Errorf("alarm at %d", alarm)
	}
	c.Add(true)
	if c.Add(true); !c.FailsOften() {
		t.Error("ten in a row are not")
	}
}

// TestReadmission computes the error rates of the test exactly, from the chain of its score, and the
// mean number of blocks that a good source needs.
func TestReadmission(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		observed, documented float64
		p0, p1               float64
		least, most          float64 // blocks of a good source to admission, on average
	}{
		{"failed ten times as often as chance", 0.008, 0, fips.ChanceAny, 0.00795, 2300, 2900},
		{"failed hardly more than chance", 0.003, 0, fips.ChanceAny, 0.00795, 2300, 2900},
		{"one in eight", 0.125, 0, fips.ChanceAny, 0.125, 100, 120},
		{"dead", 1, 0, fips.ChanceAny, 0.5, 20, 21},
		{"fails by design, and worse", 0.5, 0.125, 0.125, 0.5625, 25, 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := source.NewReadmission(tt.observed, tt.documented)
			fail, pass, good, bad := r.Bounds()
			chain := func(p float64) (admitted, blocks float64) {
				size := bad - good - 1 // scores good+1 to bad-1
				prob, mean := make([]float64, size), make([]float64, size)
				for change := 1.0; change > 1e-13; {
					change = 0
					for i := range size {
						a, m := 0.0, 1.0
						if i-pass < 0 {
							a += 1 - p
						} else {
							a += (1 - p) * prob[i-pass]
							m += (1 - p) * mean[i-pass]
						}
						if i+fail < size {
							a += p * prob[i+fail]
							m += p * mean[i+fail]
						}
						change = max(change, math.Abs(a-prob[i]), math.Abs(m-mean[i])/m)
						prob[i], mean[i] = a, m
					}
				}
				return prob[-good-1], mean[-good-1]
			}
			admitted, blocks := chain(tt.p0)
			if refused := 1 - admitted; refused > 1e-9+1e-12 {
				t.Errorf("a good source is refused with probability %.3g", refused)
			}
			if blocks < tt.least || blocks > tt.most {
				t.Errorf("a good source needs %.0f blocks, want %v to %v", blocks, tt.least, tt.most)
			}
			if wrong, _ := chain(tt.p1); wrong > 1.05e-6 {
				t.Errorf("a source as bad as before is admitted with probability %.3g", wrong)
			} else {
				t.Logf("admitted if bad %.2g, refused if good %.2g, %.0f blocks", wrong, 1-admitted, blocks)
			}
		})
	}
}

// TestAlphas: a source exactly at its claim trips less than once a year, and not much less often than
// it has to.
func TestAlphas(t *testing.T) {
	const year = 365.25 * 24 * 3600
	for _, tt := range []struct {
		rate                    float64
		intermittent, permanent int
	}{
		{0, 40, 60},
		{20, 30, 60},
		{34, 30, 60},
		{35, 40, 60},
		{9.5e3, 40, 60},
		{34e3, 40, 60},
		{35e3, 50, 70},
		{1e6, 50, 70},
		{35e6, 50, 70},
		{36e6, 60, 80},
		{1e9, 60, 80},
		{1e80, 60, 80},
	} {
		i, p := source.Alphas(tt.rate)
		if int(i) != tt.intermittent || int(p) != tt.permanent {
			t.Errorf("%g bytes a second: 2^-%d and 2^-%d, want 2^-%d and 2^-%d", tt.rate, i, p, tt.intermittent, tt.permanent)
		}
		if tt.rate > 0 && tt.rate < 1e10 && tt.rate*year*i.Float64() >= 1 {
			t.Errorf("%g bytes a second: %.2g false alarms a year", tt.rate, tt.rate*year*i.Float64())
		}
	}
}
