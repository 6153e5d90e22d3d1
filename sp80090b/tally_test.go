package sp80090b

import (
	"fmt"
	"slices"
	"testing"
)

// What is counted in one go has the estimates of an assessment.
func TestTallyIsTheAssessment(t *testing.T) {
	for _, k := range []int{3, 40, 256} {
		for name, samples := range noises(17, 5000, k) {
			t.Run(fmt.Sprintf("%s/k=%d", name, k), func(t *testing.T) {
				a, err := Assess(t.Context(), samples, 8, AssessOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if a.Symbols < 3 {
					t.Skip("Assess takes these for bits")
				}
				var tally Tally
				tally.Add(samples)
				near(t, "MCV", tally.MostCommonValue(), a.Literal[nameMCV].MinEntropy)
				near(t, "Collision", tally.Collision(), 8*a.BitString[nameCollision].MinEntropy)
				near(t, "Markov", tally.Markov(), 8*a.BitString[nameMarkov].MinEntropy)
			})
		}
	}
}

// Pieces that were not neighbours are not counted as such.
func TestTallyOfPieces(t *testing.T) {
	pieces := [][]byte{uniform(1, 700, 40), {0xff}, nil, uniform(2, 1, 256), sticky(3, 900, 256, 9)}
	var tally Tally
	var want markovCounts
	twos, threes, samples := 0, 0, 0
	for _, piece := range pieces {
		tally.Add(piece)
		samples += len(piece)
		var bits []byte
		for _, s := range piece {
			for i := 7; i >= 0; i-- {
				bits = append(bits, s>>i&1)
			}
		}
		for i, b := range bits {
			want.bits++
			want.ones += int(b)
			if i == len(bits)-1 {
				continue
			}
			want.pairs++
			want.zeros += int(1 - b)
			want.zeroZero += int((1 - b) * (1 - bits[i+1]))
			want.oneZero += int(b * (1 - bits[i+1]))
		}
		for i := 0; i+1 < len(bits); {
			switch {
			case bits[i] == bits[i+1]:
				twos++
				i += 2
			case i+2 < len(bits):
				threes++
				i += 3
			default:
				i = len(bits)
			}
		}
	}
	if tally.markov != want || tally.twos != twos || tally.threes != threes || tally.Samples() != samples {
		t.Errorf("got %+v, %d, %d of %d; want %+v, %d, %d of %d", tally.markov, tally.twos, tally.threes, tally.Samples(), want, twos, threes, samples)
	}
	if got := mostCommonValue(tally.counts[:], samples); got != tally.MostCommonValue() {
		t.Errorf("MCV %v, want %v", tally.MostCommonValue(), got)
	}
}

// A source that does not move has nothing, whatever its pattern.
func TestTallyOfStuckSources(t *testing.T) {
	for _, pattern := range []byte{0, 0xff, 0x55, 0xaa} {
		var tally Tally
		tally.Add(slices.Repeat([]byte{pattern}, 1000))
		if got := min(tally.MostCommonValue(), tally.Collision(), tally.Markov()); got != 0 {
			t.Errorf("%#02x: %v bits", pattern, got)
		}
	}
}

// A tally keeps no samples, and makes no garbage in which they would lie.
func TestTallyKeepsNothing(t *testing.T) {
	var tally Tally
	samples := uniform(1, 2500, 256)
	tally.Add(samples)
	if i := slices.IndexFunc(tally.bits.words[:cap(tally.bits.words)], func(x uint64) bool { return x != 0 }); i >= 0 {
		t.Errorf("word %d is left", i)
	}
	if allocs := testing.AllocsPerRun(10, func() { tally.Add(samples) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	tally.Reset()
	if tally.Samples() != 0 {
		t.Errorf("%d samples after a reset", tally.Samples())
	}
	var fresh Tally
	tally.Add(samples)
	fresh.Add(samples)
	if tally.counts != fresh.counts || tally.markov != fresh.markov || tally.twos != fresh.twos || tally.threes != fresh.threes {
		t.Error("a reset tally counts not like a new one")
	}
}

func BenchmarkTally(b *testing.B) {
	samples := uniform(1, 2500, 256)
	var tally Tally
	b.SetBytes(int64(len(samples)))
	for b.Loop() {
		tally.Add(samples)
	}
}
