package jittertest

import (
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/source/jitter"
)

var (
	_ jitter.Simulator = (*Clock)(nil)
	_ jitter.Simulator = (*Recorded)(nil)
)

// TestClockIsMonotonic: whatever the steps, a clock never goes back, and advances in whole ticks.
func TestClockIsMonotonic(t *testing.T) {
	for name, step := range map[string]func(int, int) float64{
		"none": nil, "constant": Constant(300.5), "cycle": Cycle(1, 2, 3), "periodic": Periodic(1, 50, 10, 20),
		"two-tone": TwoTone(300, 60, 0.1, 0.3), "noise": Noise(1, 300, 100), "hot cache": HotCache(1, 0.2),
	} {
		times := Times(&Clock{Tick: 10, ReadTime: 20, Spread: 50, Step: step}, 10000)
		if !slices.IsSorted(times) {
			t.Errorf("%s goes back", name)
		}
		for _, at := range times {
			if at%10 != 0 {
				t.Fatalf("%s: %d is no whole tick", name, at)
			}
		}
	}
}

// TestClockRepeats: the same seed gives the same times.
func TestClockRepeats(t *testing.T) {
	times := func() []int64 { return Times(&Clock{Step: Noise(7, 300, 50)}, 1000) }
	if !slices.Equal(times(), times()) {
		t.Error("times differ")
	}
}

func TestRecorded(t *testing.T) {
	r := &Recorded{Times: []int64{10, 20, 35}}
	var got []int64
	for range 7 {
		r.Work(0, 0)
		got = append(got, r.Now())
	}
	if want := []int64{10, 20, 35, 45, 60, 70, 85}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestRequantise(t *testing.T) {
	if got, want := Requantise([]int64{0, 41, 42, 99, 125}, 1e3/24), []int64{0, 0, 41, 83, 125}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
