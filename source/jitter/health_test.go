package jitter

import (
	"testing"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// TestCutoffs compares with figures computed with 80 digits, for each claim of the ladder and two more:
// RCT, APT with W = 512, lag test.
func TestCutoffs(t *testing.T) {
	for _, c := range []struct {
		h                                       float64
		rct, rctPermanent, apt, aptPermanent    int
		window, windowPermanent, run, permanent int
	}{
		{1, 31, 61, 325, 355, 8573, 8750, 43, 73},
		{0.5, 61, 121, 422, 447, 11928, 12086, 85, 145},
		{1.0 / 3, 91, 181, 458, 479, 13306, 13445, 126, 216},
		{1.0 / 5, 151, 301, 487, 502, 14511, 14624, 206, 356},
		{1.0 / 8, 241, 481, 502, 512, 15225, 15317, 324, 564},
	} {
		h, err := newHealth(c.h)
		if err != nil {
			t.Fatal(err)
		}
		check := func(name string, wantLow, wantHigh int, cutoffs func() (int, int)) {
			if low, high := cutoffs(); low != wantLow || high != wantHigh {
				t.Errorf("H = %v, %s: %d, %d, want %d, %d", c.h, name, low, high, wantLow, wantHigh)
			}
		}
		check("RCT", c.rct, c.rctPermanent, h.rct.Cutoffs)
		check("APT", c.apt, c.aptPermanent, h.apt.Cutoffs)
		check("lag, window", c.window, c.windowPermanent, h.lag.Cutoffs)
		check("lag, run", c.run, c.permanent, h.lag.RunCutoffs)
	}
}

// TestHealthInduced gives each test what only it sees, at its cutoff and one less, at both levels.
func TestHealthInduced(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples func(n int) []byte
		n       int // reaches the cutoff
		test    source.HealthTest
		verdict sp80090b.Verdict
	}{
		{"RCT", repeated, 61, source.RCT, sp80090b.Intermittent},
		{"RCT", repeated, 121, source.RCT, sp80090b.Permanent},
		{"APT", frequent, 422, source.APT, sp80090b.Intermittent},
		{"APT", frequent, 447, source.APT, sp80090b.Permanent},
		{"lag", alternating, 85, source.Vendor, sp80090b.Intermittent},
		{"lag", alternating, 145, source.Vendor, sp80090b.Permanent},
	} {
		for _, less := range []int{0, 1} {
			h, err := newHealth(MaxClaim)
			if err != nil {
				t.Fatal(err)
			}
			// In pieces, as they come.
			var alarm *source.AlarmError
			for samples := c.samples(c.n - less); len(samples) > 0; {
				n := min(100, len(samples))
				if a := h.add(samples[:n]); a != nil && (alarm == nil || a.Verdict > alarm.Verdict) {
					alarm = a
				}
				samples = samples[n:]
			}
			want := c.verdict - sp80090b.Verdict(less)
			switch {
			case want == sp80090b.OK && alarm != nil:
				t.Errorf("%s, %d: %v", c.name, c.n-less, alarm)
			case want != sp80090b.OK && (alarm == nil || alarm.Test != c.test || alarm.Verdict != want):
				t.Errorf("%s, %d: %v, want %s", c.name, c.n-less, alarm, want)
			}
		}
	}
}

// repeated has one value n times in a row.
func repeated(n int) []byte {
	samples := make([]byte, 400)
	for i := range samples {
		samples[i] = byte(i)
	}
	for i := 200; i < 200+n; i++ {
		samples[i] = samples[200]
	}
	return samples
}

// frequent has the first value of a window n times in it, in no order that a lag would tell.
func frequent(n int) []byte {
	samples := make([]byte, 512)
	others := 512 - n
	for i := range others {
		samples[511-i*511/others] = byte(1 + i)
	}
	return samples
}

// alternating has two values in turn, so long that lag 2 is right n times: at first lag 1 is in use.
func alternating(n int) []byte {
	samples := make([]byte, 400)
	for i := range samples {
		samples[i] = byte(i)
	}
	for i := 100; i < 100+n+1; i++ {
		samples[i] = samples[i-2]
	}
	return samples
}

func TestHealthTellsCutoffs(t *testing.T) {
	h, err := newHealth(MaxClaim)
	if err != nil {
		t.Fatal(err)
	}
	var rec sourcetest.Recorder
	h.tell(&rec)
	if got := rec.Events().Cutoffs; got[source.RCT] != 61 || got[source.APT] != 422 || got[source.Vendor] != 11928 {
		t.Errorf("%v", got)
	}
}

func TestSelfTest(t *testing.T) {
	if err := selfTest(); err != nil {
		t.Error(err)
	}
}

func TestDrift(t *testing.T) {
	d := newDrift(4) // half of it: RCT 16, APT 190
	samples := make([]byte, 512)
	for i := range samples {
		samples[i] = byte(i)
	}
	if d.add(samples) {
		t.Error("alarm without cause")
	}
	for i := range 15 {
		samples[100+i] = 7
	}
	if d.add(samples) {
		t.Error("alarm at 15 repeats")
	}
	samples[115] = 7
	if !d.add(samples) {
		t.Error("no alarm at 16 repeats")
	}
	for _, estimate := range []float64{0, 0.01, 8, 100} {
		newDrift(estimate).add(samples)
	}
}
