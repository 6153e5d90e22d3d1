package main

import (
	"slices"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/source"
)

func TestObserver(t *testing.T) {
	rec := &metricstest.Recorder{}
	o := observe(rec)
	src := o.Source("hwrng")
	at := time.Unix(1, 0)
	for _, tt := range []struct {
		name  string
		event func()
		want  string // what the recorder behind hears
		wakes bool
	}{
		{"seeded", func() { o.CRNGReady(true) }, "CRNGReady true", true},
		{"credit", func() { o.Credited("hwrng", 512, 64, at) }, "hwrng Credited 512 64 1970-01-01T00:00:01Z", true},
		{"state", func() { src.State(source.Active) }, "hwrng State active", true},
		{"levels", func() { o.KernelPool(256, 256) }, "KernelPool 256 256", false},
		{"block", func() { src.Block(fips.Runs) }, "hwrng Block runs", false},
		{"read", func() { src.Read(64, time.Second) }, "hwrng Read 64 1s", false},
		{"readiness", func() { o.Ready(true) }, "Ready true", false}, // the supervisor's own
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.event()
			if calls := rec.Calls(); calls[len(calls)-1] != tt.want {
				t.Errorf("recorded %q, want %q", calls[len(calls)-1], tt.want)
			}
			woken := false
			select {
			case <-o.events:
				woken = true
			default:
			}
			if woken != tt.wakes {
				t.Errorf("wakes: %t, want %t", woken, tt.wakes)
			}
		})
	}
	// Nobody listens: the recorder's methods never block.
	for range 3 {
		src.State(source.Suspect)
	}
	if len(o.events) != 1 {
		t.Errorf("%d wakes waiting, want 1", len(o.events))
	}
	if !slices.Contains(rec.Calls(), "Source hwrng") {
		t.Error("not the recorder's own source")
	}
}
