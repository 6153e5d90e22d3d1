package jitter

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// regular are processes without any noise, and some with too little. HAVEGE's generator takes the first
// of them, a ramp, for 8 bits of entropy a byte.
var regular = []struct {
	name string
	tick float64
	read float64
	step func(int, int) float64
	want string // part of the refusal
}{
	{"ramp of 1 us", 1, 1000, jittertest.Constant(0), "takes 1.0 steps"},
	{"ramp of 811 ns", 1, 1, jittertest.Constant(810), "jitter of a sample is 0.00"},
	{"ramp, slow reads", 1, 811, jittertest.Constant(0), "takes 1.0 steps"},
	{"stopped", 1, 0, jittertest.Constant(0), "did not advance"},
	{"two values", 10, 30, jittertest.Cycle(300, 340), "0.00 steps"},
	{"two values, uneven", 10, 30, jittertest.Cycle(300, 300, 340, 300, 340), "0.00 steps"},
	{"period 3", 10, 30, jittertest.Cycle(300, 700, 450), "steps of the clock (need 1)"},
	{"period 20", 10, 30, jittertest.Periodic(1, 20, 200, 500), "steps of the clock (need 1)"},
	{"period 100", 10, 30, jittertest.Periodic(2, 100, 200, 500), "bits of min-entropy"},
	{"period 1000", 10, 30, jittertest.Periodic(3, 1000, 200, 500), "bits of min-entropy"},
	{"period 2000", 10, 30, jittertest.Periodic(4, 2000, 200, 500), "bits of min-entropy"},
	{"half-integer beat", 10, 20, jittertest.Constant(285), "0.00 steps"},
	{"golden beat", 10, 20, jittertest.Constant(286.18033988), "steps of the clock (need 1)"},
	{"beat with 1 us", 1000, 20, jittertest.Constant(12821.3), "steps of the clock (need 1)"},
	{"two-tone of 1 tick", 10, 20, jittertest.TwoTone(320, 10, 0.1234567, 0.3141592), "steps of the clock (need 1)"},
	{"two-tone of 2.5 ticks", 10, 20, jittertest.TwoTone(320, 25, 0.0414213, 0.2718281), "steps of the clock (need 1)"},
	{"two-tone of 6 ticks", 10, 20, jittertest.TwoTone(320, 60, 0.0414213, 0.2718281), "steps of the clock (need 1)"},
	{"two-tone of 6 ticks, fast", 10, 20, jittertest.TwoTone(320, 60, 0.4142135, 0.4718281), "steps of the clock (need 1)"},
	{"two-tone of 30 ticks", 10, 20, jittertest.TwoTone(900, 300, 0.0414213, 0.2718281), "steps of the clock (need 1)"},
	{"hot cache", 10, 23, jittertest.HotCache(1, 0.1), "steps of the clock (need 1)"},
	{"hotter cache", 10, 23, jittertest.HotCache(2, 0.03), "steps of the clock (need 1)"},
	{"jitter of a third of a tick", 10, 20, jittertest.Noise(1, 300, 3.3), "steps of the clock (need 1)"},
}

// TestNoJitter is the standing proof that no byte is delivered where there is no entropy, however
// often one asks, and that the source says why.
func TestNoJitter(t *testing.T) {
	for _, c := range regular {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				step := c.step
				if strings.HasPrefix(c.name, "jitter of a third") {
					// More work must not help here.
					step = func(bytes, _ int) float64 { return c.step(bytes, 16) }
				}
				clock := &jittertest.Clock{Tick: c.tick, ReadTime: c.read, Step: step}
				r := newRig(t, Options{Clock: clock, Sysfs: sysfsWith(t, "test")})
				for range 4 {
					data, err := r.read(2500)
					if len(data) > 0 || sourcetest.Unavailable(err) == nil && !failed(err) {
						t.Fatalf("%d bytes, %v", len(data), err)
					}
					if st := r.s.Status(); !strings.Contains(err.Error(), c.want) || st.Refused != err.Error() || st.Blocks != 0 {
						t.Fatalf("error is %v, status %+v", err, st)
					}
					works := clock.Works
					if _, again := r.read(2500); again == nil || again.Error() != err.Error() || clock.Works != works {
						t.Fatalf("asked again at once: %v", again)
					}
					time.Sleep(2 * time.Minute)
				}
			})
		})
	}
}

// TestNoJitterReplayed puts the same processes through the replay of recorded times.
func TestNoJitterReplayed(t *testing.T) {
	for _, c := range regular {
		clock := &jittertest.Clock{Tick: c.tick, ReadTime: c.read, Step: c.step}
		v := Replay(jittertest.Times(clock, 60000), ReplayOptions{})
		if v.Accepted || v.Blocks != 0 || v.Reason == "" {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
