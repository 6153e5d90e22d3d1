package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
)

// The test decides between an ideal source and one that fails with sequentialRate. The error
// probabilities are those to reject the one and to accept the other.
const (
	sequentialRate  = 0.008
	sequentialAlpha = 1e-9
	sequentialBeta  = 1e-6
)

// TestSequentialWeights recomputes weights and bounds by Wald's formulas.
func TestSequentialWeights(t *testing.T) {
	unit := math.Log((1 - fips.ChanceAny) / (1 - sequentialRate))
	for _, test := range []struct {
		name string
		got  int
		want float64
	}{
		{"failure", sequentialFailure, math.Round(math.Log(sequentialRate/fips.ChanceAny) / unit)},
		{"reject", sequentialReject, math.Ceil(math.Log((1-sequentialBeta)/sequentialAlpha) / unit)},
		{"accept", sequentialAccept, math.Floor(math.Log(sequentialBeta/(1-sequentialAlpha)) / unit)},
	} {
		if float64(test.got) != test.want {
			t.Errorf("%s: %d, computed %g", test.name, test.got, test.want)
		}
	}
}

// sequentialLaw follows the probability of each score, for a source that fails with probability p, until next
// to nothing is undecided. It returns the probabilities of both decisions and the mean number of blocks.
func sequentialLaw(p float64) (accepted, rejected, blocks float64) {
	const states = sequentialReject - sequentialAccept - 1 // between the bounds
	law, next := make([]float64, states), make([]float64, states)
	law[-sequentialAccept-1] = 1
	for left := 1.0; left > 1e-13; {
		blocks += left
		clear(next)
		accepted += law[0] * (1 - p)
		left = 0
		for i, q := range law {
			if i > 0 {
				next[i-1] += q * (1 - p)
			}
			if to := i + sequentialFailure; to < states {
				next[to] += q * p
			} else {
				rejected += q * p
			}
		}
		law, next = next, law
		for _, q := range law {
			left += q
		}
	}
	return accepted, rejected, blocks
}

// TestSequentialErrors: neither error is more likely than it should be, and an ideal source needs as many
// blocks as are said.
func TestSequentialErrors(t *testing.T) {
	if testing.Short() || race {
		t.Skip("takes a second")
	}
	_, rejected, blocks := sequentialLaw(fips.ChanceAny)
	t.Logf("ideal: rejected with probability %.3g after %.1f blocks", rejected, blocks)
	if rejected > sequentialAlpha {
		t.Errorf("an ideal source is rejected with probability %.3g", rejected)
	}
	if expected := (&Sequential{}).ExpectedBlocks(); math.Abs(blocks-float64(expected)) > 1 {
		t.Errorf("an ideal source needs %.1f blocks, ExpectedBlocks says %d", blocks, expected)
	}
	accepted, _, blocks := sequentialLaw(sequentialRate)
	t.Logf("bad: accepted with probability %.3g after %.1f blocks", accepted, blocks)
	if accepted > sequentialBeta {
		t.Errorf("a bad source is accepted with probability %.3g", accepted)
	}
	// Wald's identity, with a last step that goes beyond the bound by less than its length.
	perBlock := sequentialFailure*sequentialRate - (1 - sequentialRate)
	if blocks < sequentialReject/perBlock || blocks > (sequentialReject+sequentialFailure)/perBlock {
		t.Errorf("a bad source is rejected after %.0f blocks on average", blocks)
	}
}

// TestSequentialSimulation runs the test on ideal and bad sources, as it is used.
func TestSequentialSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name   string
		rate   float64
		accept bool
		blocks float64
	}{
		{"ideal", fips.ChanceAny, true, 2562},
		{"bad", sequentialRate, false, 1915},
		{"dead", 1, false, 9},
	} {
		const runs = 1000
		blocks := 0
		for range runs {
			var s Sequential
			for done := false; !done; blocks++ {
				done = s.Add(rng.Float64() < test.rate)
			}
			if s.Accepted() != test.accept {
				t.Fatalf("%s: accepted: %v", test.name, s.Accepted())
			}
		}
		if mean := float64(blocks) / runs; !near(mean, test.blocks, 0.05) {
			t.Errorf("%s: %.0f blocks on average, about %.0f expected", test.name, mean, test.blocks)
		}
	}
}

// TestSequentialSteps: a decision stays, and the way to go is what is left of it.
func TestSequentialSteps(t *testing.T) {
	var s Sequential
	if s.Accepted() || s.ExpectedBlocks() != 2562 {
		t.Errorf("at first: accepted %v, %d blocks to go", s.Accepted(), s.ExpectedBlocks())
	}
	s.Add(true)
	if got := s.ExpectedBlocks(); got != 2990 {
		t.Errorf("after a failure: %d blocks to go", got)
	}
	for i := 2; ; i++ {
		if s.Add(true) {
			if i != 9 {
				t.Errorf("rejected after %d failures", i)
			}
			break
		}
	}
	for range 10_000 {
		if !s.Add(false) || s.Accepted() || s.ExpectedBlocks() != 0 {
			t.Fatal("a decision does not last")
		}
	}
}
