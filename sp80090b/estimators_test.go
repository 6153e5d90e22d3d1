package sp80090b

import (
	"fmt"
	"math"
	"testing"
)

// near fails the test if an estimate is not what the oracle says.
func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-8) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// compare compares all estimators that apply with the oracle. Dictionaries get full with
// so many entries.
func compare(t *testing.T, samples []byte, pairs, contexts int) {
	t.Helper()
	symbols := make([]byte, len(samples))
	k, counts := renumber(symbols, samples, 8)
	if k == 1 {
		return
	}
	near(t, "MCV", mostCommonValue(counts[:], len(symbols)), oracleMCV(symbols))

	var s structure
	f := noFigures()
	s.assess(symbols, k, &f, nil)
	tTuple, lrs := oracleTuples(symbols)
	near(t, "t-Tuple", f[nameTTuple], tTuple)
	near(t, "LRS", f[nameLRS], lrs)
	mmc := oracleMMC(symbols, k, pairs)
	near(t, "MultiMMC", s.mmc.multiMMC(&s.tree, symbols, k, pairs, nil), mmc)
	lz := oracleLZ(symbols, k, contexts)
	near(t, "LZ78Y", s.lz.lz78y(&s.tree, symbols, k, contexts, nil), lz)
	lags := oracleLag(symbols, k)
	near(t, "Lag", lag(symbols, k, nil), lags)
	mcw := 0.0
	h, ok := multiMCW(symbols, k, new([len(mcwWindows)]modeWindow), nil)
	if ok {
		mcw = oracleMCW(symbols, k)
		near(t, "MultiMCW", h, mcw)
	}
	if k != 2 {
		return
	}
	b := newBitString(symbols, 1)
	near(t, "MCV of bits", mostCommonValue([]int{b.ones(), b.n - b.ones()}, b.n), oracleMCV(symbols))
	near(t, "Collision", collision(b), oracleCollision(symbols))
	near(t, "Markov", markov(b), oracleMarkov(symbols))
	if h, ok := compression(b, nil); ok {
		near(t, "Compression", h, oracleCompression(symbols))
	}
	gotTuple, gotLRS := tuplesOfBits(b, nil)
	near(t, "t-Tuple of bits", gotTuple, tTuple)
	near(t, "LRS of bits", gotLRS, lrs)
	near(t, "MultiMMC of bits", multiMMCBits(b, pairs, nil), mmc)
	near(t, "LZ78Y of bits", lz78yBits(b, contexts, nil), lz)
	near(t, "Lag of bits", lagBits(b, nil), lags)
	if h, okBits := multiMCWBits(b, nil); okBits != ok || ok {
		near(t, "MultiMCW of bits", h, mcw)
	}
}

// TestOracle compares with the pseudo-code of the standard: short sequences of all
// kinds, and dictionaries that get full early, late or never.
func TestOracle(t *testing.T) {
	rounds := uint64(3)
	if small() {
		rounds = 1
	}
	for seed := range rounds {
		for _, k := range []int{2, 3, 5, 16, 100, 256} {
			n := 260 + int(seed)*37 + k
			for name, samples := range noises(seed, n, k) {
				t.Run(fmt.Sprintf("%s/k=%d/seed=%d", name, k, seed), func(t *testing.T) {
					compare(t, samples, maxPairs, maxContexts)
					compare(t, samples, 1+int(seed*seed*11), 1+int(seed*seed*97))
				})
			}
		}
	}
}

// TestOracleLong has what needs more samples: the largest window, the compression.
func TestOracleLong(t *testing.T) {
	for _, k := range []int{2, 7, 256} {
		for name, samples := range noises(99, 6500, k) {
			if small() && name != "sticky" {
				continue
			}
			t.Run(fmt.Sprintf("%s/k=%d", name, k), func(t *testing.T) {
				t.Parallel()
				symbols := make([]byte, len(samples))
				k, _ := renumber(symbols, samples, 8)
				if h, ok := multiMCW(symbols, k, new([len(mcwWindows)]modeWindow), nil); ok {
					near(t, "MultiMCW", h, oracleMCW(symbols, k))
				}
				if k != 2 {
					return
				}
				b := newBitString(symbols, 1)
				if h, ok := multiMCWBits(b, nil); ok {
					near(t, "MultiMCW of bits", h, oracleMCW(symbols, k))
				}
				if h, ok := compression(b, nil); ok {
					near(t, "Compression", h, oracleCompression(symbols))
				}
			})
		}
	}
}

// FuzzEstimators compares with the oracle.
func FuzzEstimators(f *testing.F) {
	f.Add([]byte("abracadabra, abracadabra"), byte(255), uint16(20), uint16(50))
	f.Add(uniform(1, 400, 2), byte(1), uint16(1000), uint16(1000))
	f.Add(sticky(1, 400, 4, 3), byte(3), uint16(100), uint16(300))
	f.Add(periodic(1, 200, 256, 9), byte(255), uint16(7), uint16(15))
	f.Fuzz(func(t *testing.T, samples []byte, mask byte, pairs, contexts uint16) {
		if len(samples) < 40 || len(samples) > 1200 {
			return
		}
		symbols := make([]byte, len(samples))
		for i, s := range samples {
			symbols[i] = s & mask
		}
		compare(t, symbols, 1+int(pairs), 1+int(contexts))
	})
}

// TestRace compares the scoreboard by blocks with one step at a time.
func TestRace(t *testing.T) {
	for seed := range uint64(300) {
		predictors := 1 + int(seed%20)
		bits := make([][]byte, predictors) // right or not
		made := make([][]byte, predictors)
		n := 200 + int(seed)
		for j := range bits {
			switch seed % 3 {
			case 0:
				bits[j] = uniform(seed*100+uint64(j), n, 2)
			case 1:
				bits[j] = biased(seed*100+uint64(j), n, 2, 9)
			default:
				bits[j] = biased(seed*100, n, 2, 3) // all the same, but for some
				bits[j][int(seed)%n] ^= byte(j & 1)
			}
			made[j] = biased(seed*100+50+uint64(j), n, 2, 10)
			for i := range made[j] {
				made[j][i] ^= 1
				bits[j][i] &= made[j][i]
			}
		}
		var want tally
		score, winner := make([]int, predictors), 0
		for i := range n {
			if made[winner][i] != 0 {
				want.add(bits[winner][i] != 0)
			}
			for j := range bits {
				if bits[j][i] != 0 {
					score[j]++
					if score[j] >= score[winner] {
						winner = j
					}
				}
			}
		}
		r := newRace(predictors)
		for start := 0; start < n; start += 64 {
			right, valid := make([]uint64, predictors), make([]uint64, predictors)
			m := min(64, n-start)
			for j := range right {
				right[j] = newBitString(bits[j][start:start+m], 1).at(0)
				valid[j] = newBitString(made[j][start:start+m], 1).at(0)
			}
			r.add(right, valid, m)
		}
		if r.tally != want || r.winner != winner {
			t.Fatalf("seed %d: %+v winner %d, want %+v winner %d", seed, r.tally, r.winner, want, winner)
		}
	}
}

func TestQuantile(t *testing.T) {
	if want := math.Sqrt2 * math.Erfinv(0.99); math.Abs(z99-want) > 1e-14 {
		t.Errorf("z99 is %v, want %v", z99, want)
	}
}

// TestLocalBound compares the bound on a run with the exact probability of one.
func TestLocalBound(t *testing.T) {
	// noRun is the probability that n trials have no r successes in a row.
	noRun := func(p float64, r, n int) float64 {
		state := make([]float64, r) // by successes in a row just now
		state[0] = 1
		for range n {
			next := make([]float64, r)
			for i, x := range state {
				next[0] += x * (1 - p)
				if i+1 < r {
					next[i+1] += x * p
				}
			}
			state = next
		}
		sum := 0.0
		for _, x := range state {
			sum += x
		}
		return sum
	}
	for _, c := range []struct{ r, n int }{{2, 1000}, {5, 1000}, {20, 3000}, {100, 2000}, {900, 1000}} {
		p := localBound(0, c.r, c.n)
		// The formula is asymptotic: for runs as long as all trials it is a bit off.
		if got := noRun(p, c.r, c.n); math.Abs(got-0.99) > 3e-4 {
			t.Errorf("r = %d, n = %d: p = %v has no run with a probability of %v, want 0.99", c.r, c.n, p, got)
		}
		if got := localBound(p+1e-6, c.r, c.n); got != p+1e-6 {
			t.Errorf("r = %d, n = %d: bound %v is not the floor %v", c.r, c.n, got, p+1e-6)
		}
	}
	if got := localBound(1, 5, 1000); got != 1 {
		t.Errorf("certain: %v", got)
	}
	if got := predictionEntropy(0, 0, 1000, 256); math.Abs(got-(-math.Log2(1-math.Pow(0.01, 0.001)))) > 1e-12 {
		t.Errorf("no right prediction: %v", got)
	}
	if got := predictionEntropy(1000, 1000, 1000, 256); got != 0 || math.Signbit(got) {
		t.Errorf("all predictions right: %v", got)
	}
}
