package page

import (
	"fmt"
	"math"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips"
)

// maxExpected bounds the work for a cone: petabytes of data, more than any stream and less than a
// damaged file may say.
const maxExpected = 1e9

// cumulative shows how blocks that fail FIPS 140-2 add up along the stream, with the cone in which
// those of an ideal source stay. A single bin is no course of things, and is not drawn.
func cumulative(bins []audit.Bin) *plot {
	var blocks, failed int64
	for _, b := range bins {
		blocks += b.Blocks
		failed += b.Failed
	}
	expected := fips.ChanceAny * float64(blocks)
	if len(bins) < 2 || expected > maxExpected {
		return nil
	}
	low, high := cone(expected)
	p := newPlot("failures", "Failed blocks so far, FIPS 140-2",
		counts("blocks", float64(blocks)),
		counts("failed blocks", 1.05*max(float64(failed), high, 1)))

	// A stair, as counts are whole numbers: up along the high ends, back along the low ones.
	const steps = 120
	var area, mean path
	area.move(p.x.at(0), p.y.at(0))
	at := func(i int) float64 { return p.x.at(float64(blocks) * float64(i) / steps) }
	for i := 1; i <= steps; i++ {
		_, top := cone(expected * float64(i) / steps)
		area.down(p.y.at(top))
		area.across(at(i))
	}
	for i := steps; i > 0; i-- {
		bottom, _ := cone(expected * float64(i) / steps)
		area.down(p.y.at(bottom))
		area.across(at(i - 1))
	}
	mean.move(p.x.at(0), p.y.at(0))
	mean.line(p.x.at(float64(blocks)), p.y.at(expected))
	p.add("band", area)
	p.add("mid", mean)

	var line path
	line.move(p.x.at(0), p.y.at(0))
	var x, y int64
	for _, b := range bins {
		x, y = x+b.Blocks, y+b.Failed
		line.line(p.x.at(float64(x)), p.y.at(float64(y)))
	}
	p.add("line", line)

	where := "inside"
	if float64(failed) > high {
		where = "above"
	} else if float64(failed) < low {
		where = "below"
	}
	p.Desc = fmt.Sprintf("%s of %s blocks failed; %s are expected. The line ends %s the cone.",
		count(failed), count(blocks), figure(expected, 2), where)
	p.Caption = fmt.Sprintf("The line ends %s the cone, in which 99.7%s%% of ideal sources are at any one block; a step or a bend tells when a fault began.", where, nbsp)
	return p
}

// cone returns the range outside of which a Poisson variable with the given mean is, on each side,
// with the probability of three standard deviations of a normal one.
func cone(mean float64) (low, high float64) {
	return poissonQuantile(mean, beyond/2), poissonQuantile(mean, 1-beyond/2)
}

// poissonQuantile returns the smallest count that a Poisson variable with the given mean does not
// exceed with probability p.
func poissonQuantile(mean, p float64) float64 {
	if mean == 0 {
		return 0
	}
	// Nothing to speak of is ten standard deviations below the mean.
	k := math.Floor(max(0, mean-10*math.Sqrt(mean)))
	gamma, _ := math.Lgamma(k + 1)
	term := math.Exp(k*math.Log(mean) - mean - gamma)
	sum := term
	for sum < p && term > 0 {
		k++
		term *= mean / k
		sum += term
	}
	return k
}
