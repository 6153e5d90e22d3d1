package repeat

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// result is what a detector tells.
type result struct {
	repeated int64
	first    Match
	found    bool
}

func resultOf(d *Detector) result {
	first, found := d.First()
	return result{d.Repeated(), first, found}
}

// oracle finds repeats by comparing everything with everything.
func oracle(data []byte, minMatch, maxPeriod int) (r result) {
	word := max(8, (minMatch+7)/8*8)
	end := 0
	for q := range len(data) - word + 1 {
		if r := q % 48; r < 1 || r > 16 || q+word <= end {
			continue
		}
		equal := func(d int) bool { return bytes.Equal(data[q:q+word], data[q-d:q-d+word]) }
		period := 0
		for d := q % 16; d <= min(q, maxPeriod) && period == 0; d += 16 {
			if d > 0 && equal(d) {
				period = d
			}
		}
		if period == 0 {
			continue
		}
		for n := 16; n > 1; n-- {
			if period%n == 0 && equal(period/n) {
				period /= n
				break
			}
		}
		start, stop := q, max(q, end)
		for start > max(end, period) && data[start-1] == data[start-1-period] {
			start--
		}
		for stop < len(data) && data[stop] == data[stop-period] {
			stop++
		}
		r.repeated += int64(stop - max(start, end))
		if !r.found {
			r.found = true
			r.first = Match{int64(start), period, int64(stop - start)}
		}
		end = stop
	}
	return r
}

// checkOracle compares a detector with the oracle, after the whole of data and on the way there,
// however it is cut.
func checkOracle(t *testing.T, data []byte, minMatch, maxPeriod int, cuts *rand.Rand) {
	t.Helper()
	whole, pieces := newDetector(minMatch, maxPeriod), newDetector(minMatch, maxPeriod)
	whole.Scan(data)
	want := oracle(data, minMatch, maxPeriod)
	if got := resultOf(whole); got != want {
		t.Fatalf("%d bytes, minMatch %d, window %d: got %+v, want %+v", len(data), minMatch, maxPeriod, got, want)
	}
	sum := 0
	stop := cuts.IntN(len(data) + 1)
	for n := 0; n < len(data); {
		next := min(n+1+cuts.IntN(1+cuts.IntN(300)), len(data))
		if n < stop {
			next = min(next, stop)
		}
		sum += pieces.Scan(data[n:next])
		n = next
		if n == stop {
			if got, want := resultOf(pieces), oracle(data[:n], minMatch, maxPeriod); got != want {
				t.Fatalf("%d of %d bytes in pieces, minMatch %d, window %d: got %+v, want %+v", n, len(data), minMatch, maxPeriod, got, want)
			}
		}
	}
	if got := resultOf(pieces); got != want || int64(sum) != want.repeated {
		t.Fatalf("%d bytes in pieces, minMatch %d, window %d: got %+v, %d by Scan, want %+v", len(data), minMatch, maxPeriod, got, sum, want)
	}
}

func TestOracle(t *testing.T) {
	rng := rand.New(source(1))
	rounds := 1500
	if race || testing.Short() {
		rounds = 150
	}
	repeats := 0
	for range rounds {
		recipe := make([]byte, rng.IntN(120))
		for i := range recipe {
			recipe[i] = byte(rng.Uint32())
		}
		maxPeriod := 64 << rng.IntN(4)
		data := unpack(recipe, maxPeriod)
		minMatch := 1 + rng.IntN(60)
		checkOracle(t, data, minMatch, maxPeriod, rng)
		if oracle(data, minMatch, maxPeriod).found {
			repeats++
		}
	}
	if repeats < rounds/2 || repeats == rounds {
		t.Errorf("%d of %d streams repeat: too few or too many to show anything", repeats, rounds)
	}
}

// TestOracleLong has the window move many times, with a small and with the full one.
func TestOracleLong(t *testing.T) {
	for _, test := range []struct {
		minMatch, maxPeriod, size int
		mask                      byte
	}{
		{16, 1024, 400_000, 0x0F},
		{80, 512, 400_000, 0x0F},
		{3, 64, 200_000, 0xFF},
		{300, 64, 200_000, 0x01},
		{16, MaxPeriod, 300_000, 0x0F},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			if race || testing.Short() {
				test.size /= 4
			}
			rng := rand.New(source(2))
			data := masked(3, test.size, test.mask)
			for range 60 { // copies, of all lengths from next to nothing to three windows or words
				n := 1 + rng.IntN(1<<rng.IntN(18))%(3*max(test.maxPeriod, test.minMatch))
				at := 1 + rng.IntN(len(data)-1)
				back := 1 + rng.IntN(min(at, test.maxPeriod+20))
				for i := at; i < min(at+n, len(data)); i++ {
					data[i] = data[i-back]
				}
			}
			checkOracle(t, data, test.minMatch, test.maxPeriod, rng)
		})
	}
}

func FuzzOracle(f *testing.F) {
	for seed := range byte(8) {
		f.Add(noise(seed, 40+int(seed)), uint16(seed)*9+1, seed, uint64(seed))
	}
	f.Fuzz(func(t *testing.T, recipe []byte, minMatch uint16, window byte, cuts uint64) {
		if len(recipe) > 200 {
			return
		}
		maxPeriod := 64 << (window % 4)
		checkOracle(t, unpack(recipe, maxPeriod), int(minMatch%200), maxPeriod, rand.New(rand.NewPCG(cuts, 0)))
	})
}
