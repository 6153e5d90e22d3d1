package jitter

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
)

func TestSampler(t *testing.T) {
	clock := noisy(1)
	s, err := NewSampler(SamplerOptions{Clock: clock, Sysfs: sysfsWith(t, "tsc")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	times := make([]int64, 50001)
	if err := s.Capture(t.Context(), times); err != nil {
		t.Fatal(err)
	}
	if clock.Works < warmup+50000 || clock.Works > warmup+chunkSamples+50000 {
		t.Errorf("%d samples made", clock.Works)
	}
	symbols := make([]byte, 50000)
	s.Symbols(symbols, times)
	for i, symbol := range symbols {
		if want := byte(math.Round(float64(times[i+1]-times[i]) / 10)); symbol != want {
			t.Fatalf("sample %d: %d ns is %d, want %d", i, times[i+1]-times[i], symbol, want)
		}
	}
	facts := s.Describe()
	if facts.Setting != (Profile{16 << 20, 16}) || math.Abs(facts.Tick-10) > 0.1 || facts.Sigma < 3 || facts.Machine.Clocksource != "tsc" || len(facts.Claims) != 4 {
		t.Errorf("%+v", facts)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"clocksource":"tsc"`, `"buffer_bytes":16777216`, `"touches":16`, `"tick_ns":`, `"sigma_ticks":`, `"claims":[0.5,`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if v := Replay(times, ReplayOptions{}); !v.Accepted {
		t.Errorf("replay of it: %+v", v)
	}

	if err := s.Capture(cancelled(), times); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Capture(t.Context(), times[:1]); err == nil {
		t.Error("captured one time")
	}
}

func TestSamplerOptions(t *testing.T) {
	for _, p := range []Profile{{1000, 16}, {32, 16}, {1<<20 + 64, 16}, {1 << 20, 0}, {-64, 1}, {1 << 20, -1}} {
		if s, err := NewSampler(SamplerOptions{Clock: noisy(1), Profile: p}); err == nil {
			t.Errorf("%+v: %+v", p, s)
		}
	}
	if _, err := NewSampler(SamplerOptions{Clock: &jittertest.Clock{}}); err == nil || !strings.Contains(err.Error(), "no usable tick") {
		t.Error(err)
	}
	s, err := NewSampler(SamplerOptions{Clock: noisy(1), Profile: Profile{1 << 20, 7}, Tick: 52, Procfs: linux.Procfs(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Describe(); f.Setting != (Profile{1 << 20, 7}) || f.Tick != 52 {
		t.Errorf("%+v", f)
	}
}

func TestSourceDescribe(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(2), Sysfs: sysfsWith(t, "tsc"), Claim: 0.2})
	r.mustRead(64)
	f := r.s.Describe()
	if f.Machine.Clocksource != "tsc" || f.Setting != (Profile{16 << 20, 16}) || f.Sigma < 3 || f.Rung != 0 || len(f.Claims) != 2 {
		t.Errorf("%+v", f)
	}
}

// A few samples are samples too, only too few to tell their spread.
func TestSamplerFew(t *testing.T) {
	s, err := NewSampler(SamplerOptions{Clock: noisy(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, n := range []int{1, 2, 6, quickSamples - 1} {
		if err := s.Capture(t.Context(), make([]int64, n+1)); err != nil {
			t.Errorf("%d samples: %v", n, err)
		}
		if sigma := s.Describe().Sigma; sigma != 0 {
			t.Errorf("%d samples: sigma %v", n, sigma)
		}
	}
}
