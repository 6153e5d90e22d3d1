package jitter

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// TestQuantised reads one and the same walk with clocks from fine to hopeless. The source must put
// more work into each sample where the clock asks for it, and refuse where no work helps.
func TestQuantised(t *testing.T) {
	for _, c := range []struct {
		name     string
		tick     float64
		touches  int // chosen; 0: refused
		atRung   int
		refusal  string
		wantTick float64 // 0: tick
	}{
		{"1 ns", 1, 16, 0, "", 0},
		{"10 ns (100 MHz)", 10, 16, 0, "", 0},
		{"18.5 ns (54 MHz)", 1e3 / 54, 16, 0, "", 0},
		{"41.7 ns (24 MHz)", 1e3 / 24, 64, 0, "", 0},
		{"52 ns (19.2 MHz)", 1e3 / 19.2, 64, 0, "", 0},
		{"69.8 ns (hpet)", 69.841, 256, 0, "", 0},
		{"279 ns (acpi_pm)", 279.365, 4096, 0, "", 0},
		{"1 us", 1000, 0, 0, "jitter of a sample is", 0},
		{"10 us", 10000, 0, 0, "steps of 10", 0},
		{"4 ms (jiffies)", 4e6, 0, 0, "advances in steps of 4ms, too coarse for any noise loop (the limit is 10µs)", 0},
		{"10 ms (jiffies)", 1e7, 0, 0, "advances in steps of 10ms, too coarse", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := &jittertest.Clock{Tick: c.tick, ReadTime: 23, Spread: 60, Step: jittertest.Noise(7, 300, 50)}
				r := newRig(t, Options{Clock: clock, Sysfs: sysfsWith(t, "jiffies")})
				data, err := r.read(2500)
				st := r.s.Status()
				if c.touches == 0 {
					if len(data) > 0 || sourcetest.Unavailable(err) == nil || !strings.Contains(err.Error(), c.refusal) || !strings.Contains(err.Error(), `clock "jiffies"`) {
						t.Errorf("%d bytes, %v", len(data), err)
					}
					return
				}
				if err != nil || len(data) != 2500 || !differs(data) {
					t.Fatalf("%d bytes, %v", len(data), err)
				}
				if want := (Profile{16 << 20, c.touches}); st.Setting != want || st.Rung != c.atRung {
					t.Errorf("setting %s, rung %d, want %s, %d; %+v", st.Setting, st.Rung, want, c.atRung, st.Latest)
				}
				if off := st.Tick/c.tick - 1; off > 0.01 || off < -0.01 {
					t.Errorf("tick %.2f, want %.2f", st.Tick, c.tick)
				}
				if st.SamplesPerBlock != 1152 || st.Latest.Estimate < margin*st.Claim {
					t.Errorf("status %+v", st)
				}
			})
		})
	}
}

// TestQuantisedReplay replays one recording as clocks of many ticks would have made it. Here no work
// can be added.
func TestQuantisedReplay(t *testing.T) {
	fine := jittertest.Times(&jittertest.Clock{ReadTime: 23, Step: jittertest.Noise(8, 800, 150)}, 80000)
	for _, c := range []struct {
		tick   float64
		accept bool
	}{
		{1, true},
		{10, true},
		{1e3 / 54, true},
		{1e3 / 24, true},
		{1e3 / 19.2, true},
		{69.841, true},
		{279.365, false},
		{1000, false},
		{10000, false},
		{4e6, false},
	} {
		v := Replay(jittertest.Requantise(fine, c.tick), ReplayOptions{})
		if v.Accepted != c.accept || (v.Blocks > 0) != c.accept || (v.Reason == "") != c.accept {
			t.Errorf("%.1f ns: %+v", c.tick, v)
		}
	}
}
