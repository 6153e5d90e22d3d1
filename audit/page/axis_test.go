package page

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// texts lists the texts of an axis' marks.
func texts(a axis) string {
	var list []string
	for _, t := range a.ticks {
		list = append(list, t.text)
	}
	return strings.Join(list, " ")
}

func TestMarks(t *testing.T) {
	for name, test := range map[string]struct {
		axis axis
		want string
	}{
		"band":         {linear("", -0.0025, 0.0025, 5, offsetTick), "−0.002 −0.001 0 +0.001 +0.002"},
		"small":        {linear("", -7.1e-4, 6.9e-4, 5, offsetTick), "−5e-4 0 +5e-4"},
		"tiny":         {linear("", -1.2e-7, 3e-7, 5, offsetTick), "−1e-7 0 +1e-7 +2e-7 +3e-7"},
		"two digits":   {linear("", 0, 1.2e-4, 6, offsetTick), "0 +2e-5 +4e-5 +6e-5 +8e-5 +1e-4 +1.2e-4"},
		"one sided":    {linear("", -1.1, 275, 5, offsetTick), "0 +100 +200"},
		"rates":        {linear("", 0, 102000, 5, plainTick), "0 50k 100k"},
		"fractions":    {linear("", 0, 0.9, 5, plainTick), "0 0.2 0.4 0.6 0.8"},
		"no extent":    {linear("", 3, 3, 5, plainTick), "3.0 3.2 3.4 3.6 3.8 4.0"},
		"one block":    {counts("", 1), "0 1"},
		"nothing":      {counts("", 0), "0 1"},
		"four":         {counts("", 4.2), "0 1 2 3 4"},
		"many":         {counts("", 1e9), "0 200M 400M 600M 800M 1G"},
		"one read":     {logarithmic("", 1), "1 10"},
		"many reads":   {logarithmic("", 123456), "1 10 100 1,000 10k 100k"},
		"beyond 2^31s": {counts("", 1e13), "0 2T 4T 6T 8T 10T"},
	} {
		if got := texts(test.axis); got != test.want {
			t.Errorf("%s: marks %q, want %q", name, got, test.want)
		}
	}
}

func TestRoundStep(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 1.01: 2, 2: 2, 3: 5, 5.5: 10, 0.011: 0.02, 1e-5: 1e-5, 999: 1000} {
		if got := roundStep(x); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("the round step from %g on is %g, want %g", x, got, want)
		}
	}
}

// Marks lie where their values lie, whichever way an axis runs.
func TestPlace(t *testing.T) {
	a := linear("", 0, 10, 5, plainTick)
	a.place(200, 100)
	var places []float64
	for _, tick := range a.ticks {
		places = append(places, tick.at)
	}
	if want := []float64{200, 180, 160, 140, 120, 100}; !slices.Equal(places, want) {
		t.Errorf("marks at %v, want %v", places, want)
	}
}
