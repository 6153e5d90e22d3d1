package audit

import (
	"math"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
)

// runState follows the runs of one value in a block, bit by bit, of which those of one length are
// counted: 0 is a run of the other value, 1 to last one of so many bits, last standing for all longer ones
// too. Length 6 is 6 and more.
type runState struct{ length, last int }

func newRunState(length int) runState {
	if length == 6 {
		return runState{6, 6}
	}
	return runState{length, length + 1}
}

// runMoments returns the mean, the variance and the third central moment of the number of runs of one
// value and length in a block. It carries the moments of the number of runs finished so far, apart for
// each state.
func runMoments(length int) (mean, variance, third float64) {
	type moments [4]float64 // of order 0 to 3
	shift := func(m moments, by float64) moments {
		return moments{
			m[0],
			m[1] + by*m[0],
			m[2] + by*(2*m[1]+by*m[0]),
			m[3] + by*(3*m[2]+by*(3*m[1]+by*m[0])),
		}
	}
	add := func(to *moments, m moments, weight float64) {
		for i := range to {
			to[i] += weight * m[i]
		}
	}
	state := newRunState(length)
	// The count less its mean so far keeps the moments small and thus exact.
	rate := math.Exp2(-float64(length + 2))
	if length == 6 {
		rate *= 2
	}
	law := make([]moments, state.last+1)
	law[0], law[1] = moments{0.5}, moments{0.5}
	for range fips.BlockBits - 1 {
		next := make([]moments, len(law))
		for s, m := range law {
			goesOn := shift(m, -rate)
			ends := goesOn
			if s == length {
				ends = shift(m, 1-rate)
			}
			add(&next[0], ends, 0.5)
			add(&next[min(s+1, state.last)], goesOn, 0.5)
		}
		law = next
	}
	var sum moments
	for s, m := range law {
		if s == length {
			m = shift(m, 1)
		}
		add(&sum, m, 1)
	}
	mean = sum[1]
	sum = shift(sum, -mean)
	return mean + rate*(fips.BlockBits-1), sum[2], sum[3]
}

func TestRunLaws(t *testing.T) {
	deviations := [...]float64{46.772, 31.869, 22.964, 16.683, 12.052, 11.847}
	for i, law := range runLaws {
		k := float64(i + 1)
		mean, variance, third := runMoments(i + 1)
		if !near(law.mean, mean, 1e-12) || !near(law.variance, variance, 1e-10) || !near(law.third, third, 1e-8) {
			t.Errorf("runs of %d: %v, computed %.12g, %.15g, %.15g", i+1, law, mean, variance, third)
		}
		formula := (fips.BlockBits - k + 3) / math.Exp2(k+2)
		if i == 5 {
			formula = (fips.BlockBits - k + 2) / math.Exp2(k+1)
		}
		if law.mean != formula {
			t.Errorf("runs of %d: mean %g, the formula says %g", i+1, law.mean, formula)
		}
		if math.Abs(math.Sqrt(law.variance)-deviations[i]) > 0.0006 {
			t.Errorf("runs of %d: standard deviation %.4f, known to be %.3f", i+1, math.Sqrt(law.variance), deviations[i])
		}
	}
}

// runLawOfBlock returns the probability of each number of runs of one value and length in a block.
func runLawOfBlock(length int) []float64 {
	state := newRunState(length)
	size := fips.BlockBits/(length+1) + 2
	mean, deviation := runLaws[length-1].mean, math.Sqrt(runLaws[length-1].variance)
	size = min(size, int(mean+12*deviation))
	law, next := make([][]float64, state.last+1), make([][]float64, state.last+1)
	for s := range law {
		law[s], next[s] = make([]float64, size), make([]float64, size)
	}
	law[0][0], law[1][0] = 0.5, 0.5
	top := 0
	for range fips.BlockBits - 1 {
		top = min(top+1, size-1)
		for s := range next {
			clear(next[s][:top+1])
		}
		for s := range law {
			step := 0
			if s == length {
				step = 1
			}
			longer := next[min(s+1, state.last)]
			for n, p := range law[s][:top+1-step] {
				next[0][n+step] += p / 2
				longer[n] += p / 2
			}
		}
		law, next = next, law
	}
	sum := make([]float64, size)
	for s := range law {
		for n, p := range law[s] {
			if s == length {
				n = min(n+1, size-1)
			}
			sum[n] += p
		}
	}
	return sum
}

// convolve returns the law of the sum of two independent counts.
func convolve(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for i, p := range a {
		if p < 1e-30 {
			continue
		}
		for j, q := range b {
			sum[i+j] += p * q
		}
	}
	return sum
}

// TestRunTails compares the tails with the exact law of one block and of four, where the law is most skewed.
// A probability must not be understated, and is far out overstated by no more than two thirds.
func TestRunTails(t *testing.T) {
	if testing.Short() || race {
		t.Skip("takes some seconds")
	}
	for i := range runLaws {
		one := runLawOfBlock(i + 1)
		two := convolve(one, one)
		for blocks, law := range map[float64][]float64{1: one, 4: convolve(two, two)} {
			more := make([]float64, len(law)+1)
			for n := len(law) - 1; n >= 0; n-- {
				more[n] = more[n+1] + law[n]
			}
			fewer := 0.0
			for n, p := range law {
				fewer += p
				gotMore, gotFewer := runLaws[i].tails(int64(n), blocks)
				for _, side := range []struct {
					name       string
					got, exact float64
				}{{"or more", gotMore, more[n]}, {"or fewer", gotFewer, fewer}} {
					if side.exact > 1e-12 && side.exact < 0.1 && (side.got < 0.98*side.exact || side.got > 1.67*side.exact) {
						t.Errorf("%d %s runs of %d in %g blocks: %.4e, exactly %.4e", n, side.name, i+1, blocks, side.got, side.exact)
					}
				}
			}
		}
	}
}
