package hwrng

import (
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

func TestRate(t *testing.T) {
	type read struct {
		n    int
		took time.Duration
	}
	for _, c := range []struct {
		name     string
		reads    []read
		min, max int // of what half a second brings
	}{
		{"nothing known", nil, maxRead, maxRead},
		{"only empty reads", []read{{0, time.Second}}, maxRead, maxRead},
		{"no time at all", []read{{64, 0}}, maxRead, maxRead},
		{"20 bytes a second", []read{{128, 6400 * time.Millisecond}}, 16, 16},
		{"200 bytes a second", []read{{100, 500 * time.Millisecond}}, 100, 100},
		{"TPM", []read{{128, time.Second}}, 64, 64},
		{"virtio with a limit", []read{{128, 13 * time.Millisecond}}, maxRead, maxRead},
		{"one byte an hour", []read{{1, time.Hour}}, 16, 16},
		{"one stall is soon forgotten", []read{{128, time.Minute}, {1000, time.Second}, {1000, time.Second}, {1000, time.Second}, {1000, time.Second}, {1000, time.Second}, {1000, time.Second}, {1000, time.Second}}, 300, 500},
		{"device slows down", []read{{2500, time.Millisecond}, {16, time.Second}, {16, time.Second}, {16, time.Second}, {16, time.Second}, {16, time.Second}, {16, time.Second}, {16, time.Second}, {16, time.Second}}, 16, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r source.Rate
			for _, read := range c.reads {
				r.Add(read.n, read.took)
			}
			if got := bytesIn(&r, 500*time.Millisecond); got < c.min || got > c.max {
				t.Errorf("got %d, want %d to %d", got, c.min, c.max)
			}
		})
	}
}
