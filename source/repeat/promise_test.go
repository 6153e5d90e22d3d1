package repeat

import (
	"math/rand/v2"
	"testing"
)

// stretches calls f for each stretch of n bytes or more that repeats, for each period up to
// maxPeriod.
func stretches(data []byte, n, maxPeriod int, f func(start, end, period int)) {
	for period := 1; period <= min(maxPeriod, len(data)-1); period++ {
		start := period
		for i := period; i <= len(data); i++ {
			if i < len(data) && data[i] == data[i-period] {
				continue
			}
			if i-start >= n {
				f(start, i, period)
			}
			start = i + 1
		}
	}
}

// TestPromises checks what the package promises, by looking at all stretches.
func TestPromises(t *testing.T) {
	rng := rand.New(source(4))
	rounds := 400
	if race || testing.Short() {
		rounds = 40
	}
	long := 0
	for range rounds {
		recipe := make([]byte, rng.IntN(120))
		for i := range recipe {
			recipe[i] = byte(rng.Uint32())
		}
		maxPeriod, minMatch := 64<<rng.IntN(3), 1+rng.IntN(60)
		data := unpack(recipe, maxPeriod)
		d := newDetector(minMatch, maxPeriod)
		when := known(d, data)
		reach := d.Reach()
		if reach > max(minMatch, 1)+54 || minMatch%8 == 0 && reach > minMatch+47 {
			t.Fatalf("minMatch %d: Reach is %d", minMatch, reach)
		}

		allowed := make([]bool, len(data))
		stretches(data, minMatch, maxPeriod, func(start, end, period int) {
			for i := start; i < end; i++ {
				allowed[i] = true
			}
			missed := 0
			for i := start; i < end && end-start >= reach; i++ {
				if missed++; when[i] != 0 {
					missed = 0
				}
				if missed > 47 {
					t.Fatalf("minMatch %d: missed bytes %d to %d of a repeat from %d to %d with period %d", minMatch, i-missed+1, i, start, end, period)
				}
			}
			for from := start; from+reach <= end; from++ { // each part of that length
				long++
				found := false
				for _, at := range when[from : from+reach] {
					found = found || at != 0 && at <= from+reach
				}
				if !found {
					t.Fatalf("minMatch %d: none of bytes %d to %d, which repeat with period %d, was known in time", minMatch, from, from+reach, period)
				}
			}
		})
		for i, at := range when {
			if at != 0 && !allowed[i] {
				t.Fatalf("minMatch %d: byte %d counts, but is in no stretch of that length", minMatch, i)
			}
		}
	}
	if long < 100*rounds {
		t.Errorf("only %d long repeats", long)
	}
}

// TestReachIsSharp shows that one byte less than Reach may be missed, and minMatch bytes be found.
func TestReachIsSharp(t *testing.T) {
	const minMatch, period = 16, 1000
	for _, test := range []struct{ length, found int }{
		{minMatch - 1, 0}, {minMatch, 1}, {minMatch + 1, 2}, {minMatch + 46, 47}, {minMatch + 47, 48}, {minMatch + 100, 48},
	} {
		found := 0
		for at := range 48 {
			data := noise(5, 4000)
			start, end := 2000+at, 2000+at+test.length
			copy(data[start:end], data[start-period:])
			data[start-1], data[end] = ^data[start-1-period], ^data[end-period]
			d := New(minMatch)
			d.Scan(data)
			if d.Repeated() == 0 {
				continue
			}
			found++
			if first, _ := d.First(); first != (Match{int64(start), period, int64(test.length)}) {
				t.Errorf("%d bytes at %d: found %+v", test.length, start, first)
			}
		}
		if found != test.found {
			t.Errorf("%d bytes: found at %d of 48 places, want %d", test.length, found, test.found)
		}
	}
}
