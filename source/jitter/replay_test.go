package jitter

import (
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

func TestReplay(t *testing.T) {
	const startup = warmup + startupSamples + windowSamples + startupSamples
	times := jittertest.Times(noisy(1), startup+100*1152)
	v := Replay(times, ReplayOptions{})
	if !v.Accepted || v.Blocks != 100 || v.Claim != 0.5 || v.Reason != "" || v.Tested != len(times)-1 || v.Alarm != nil || math.Abs(v.Tick-10) > 0.01 || v.Estimate < 2 {
		t.Errorf("%+v", v)
	}
	if v := Replay(times, ReplayOptions{Claim: 1.0 / 8, Tick: 20}); !v.Accepted || v.Blocks != 25 || v.Claim != 1.0/8 || v.Tick != 20 {
		t.Errorf("at 1/8: %+v", v)
	}
	for _, n := range []int{0, 1, 1000, startup} {
		if v := Replay(times[:n], ReplayOptions{}); v.Accepted || !strings.Contains(v.Reason, "too few") {
			t.Errorf("%d times: %+v", n, v)
		}
	}
}

// TestReplayAlarm replays a recording in which the clock gets stuck: what came before counts, the
// failure is told.
func TestReplayAlarm(t *testing.T) {
	times := jittertest.Times(noisy(2), 60000)
	for i := 40000; i < 40000+80; i++ {
		times[i+1] = times[i] + 330
	}
	for i := 40080; i < len(times)-1; i++ {
		times[i+1] = times[i] + 200 + int64(i*i%41)*10
	}
	v := Replay(times, ReplayOptions{})
	if v.Accepted || v.Alarm == nil || v.Alarm.Test != source.RCT || v.Alarm.Verdict != sp80090b.Intermittent {
		t.Fatalf("%+v", v)
	}
	if v.Blocks < 10 || v.Tested < 40000 || v.Tested > 40000+chunkSamples {
		t.Errorf("%+v", v)
	}
}

// TestReplayReviews: what becomes regular later on is found by the estimates while it runs.
func TestReplayReviews(t *testing.T) {
	clock := noisy(3)
	noise, regular := clock.Step, jittertest.TwoTone(300, 60, 0.0414, 0.27)
	clock.Step = func(bytes, touches int) float64 {
		if clock.Works > 40000 {
			return regular(bytes, touches)
		}
		return noise(bytes, touches)
	}
	v := Replay(jittertest.Times(clock, 600000), ReplayOptions{})
	if v.Accepted || !strings.Contains(v.Reason, "steps of the clock") {
		t.Errorf("%+v", v)
	}
	// A drift lowers the claim.
	clock = noisy(4)
	before, after := jittertest.Noise(8, 1000, 200), jittertest.Noise(9, 300, 14)
	clock.Step = func(bytes, touches int) float64 {
		if clock.Works > 60000 {
			return after(bytes, touches)
		}
		return before(bytes, touches)
	}
	v = Replay(jittertest.Times(clock, 200000), ReplayOptions{})
	if !v.Accepted || v.Drifts != 1 || v.Claim != 1.0/3 {
		t.Errorf("%+v", v)
	}
}

// TestRecordedSource runs a whole source on recorded times.
func TestRecordedSource(t *testing.T) {
	recorded := jittertest.Times(noisy(5), 100000)
	r := newRig(t, Options{Clock: &jittertest.Recorded{Times: recorded}})
	if !differs(r.mustRead(2500)) {
		t.Error("blocks are equal")
	}
	r = newRig(t, Options{Clock: &jittertest.Recorded{Times: jittertest.Requantise(recorded, 1000)}})
	if data, err := r.read(2500); len(data) > 0 || sourcetest.Unavailable(err) == nil {
		t.Errorf("at 1 us: %d bytes, %v", len(data), err)
	}
}

func FuzzReplay(f *testing.F) {
	f.Add(int64(300), int64(7), uint16(10), []byte{1, 2, 3})
	f.Add(int64(-1), int64(1)<<62, uint16(0), []byte{})
	f.Fuzz(func(t *testing.T, mean, spread int64, tick uint16, pattern []byte) {
		times := make([]int64, 30000)
		for i := 1; i < len(times); i++ {
			d := mean
			if len(pattern) > 0 {
				d += spread * int64(pattern[i%len(pattern)])
			}
			times[i] = times[i-1] + d
		}
		v := Replay(times, ReplayOptions{Tick: float64(tick)})
		if len(pattern) < 5000 && (v.Accepted || v.Blocks > 0) {
			t.Errorf("a period of %d: %+v", len(pattern), v)
		}
	})
}
