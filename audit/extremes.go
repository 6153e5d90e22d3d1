package audit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source/repeat"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// Statistics of the longest, the most and the never. Their probabilities are bounds: that of one place
// times the number of places.

// cutoffAlpha is the false alarm probability of the cutoffs that are shown beside the statistics of the
// two health tests: that of the daemon at moderate rates.
const cutoffAlpha sp80090b.Alpha = 30

// longestRun bounds the probability of a run of k bits by the mean number of such runs: n of one value
// and of k bits and more in n bits have (n-k+2)/2^(k+1).
func longestRun(c *Counters) Statistic {
	n := float64(c.Blocks * fips.BlockBits)
	k := float64(c.LongestRun)
	s := Statistic{Kind: kindCount, Value: k, Observed: k, Expected: math.Log2(n), P: 1}
	if c.LongestRun == 0 {
		s.Where = fmt.Sprintf("below %d", fips.LongRunBits)
		return s
	}
	s.P = min(1, float64(c.Blocks)*(fips.BlockBits-k+2)*math.Exp2(-k))
	return s
}

// repetition bounds the probability of k equal bytes in a row, at the claimed min-entropy H a byte, by
// that of k-1 bytes equal to the one before, 2^(-H (k-1)), at each of n places.
func repetition(c *Counters, claim float64) Statistic {
	n, k := float64(c.Blocks*fips.BlockBytes), float64(c.LongestEqual)
	return Statistic{
		Where: fmt.Sprintf("cutoff %d at %g bits a byte", sp80090b.RCTCutoff(cutoffAlpha, claim), claim),
		Kind:  kindCount, Value: k, Observed: k, Expected: 1 + math.Log2(n)/claim,
		P: min(1, n*math.Exp2(-claim*(k-1))),
	}
}

// proportion bounds the probability of k bytes equal to the first of a window, itself included, by that
// of k-1 successes among the others in each of the windows, at the claimed min-entropy.
func proportion(c *Counters, claim float64) Statistic {
	const others = sp80090b.WindowNonBinary - 1
	bound := func(k int) float64 {
		return min(1, float64(c.Windows)*binomialMore(others, math.Exp2(-claim), int64(k-1)))
	}
	expected := 1
	for expected <= others && bound(expected+1) >= 0.5 {
		expected++
	}
	return Statistic{
		Where: fmt.Sprintf("cutoff %d at %g bits a byte", sp80090b.APTCutoff(cutoffAlpha, claim, sp80090b.WindowNonBinary), claim),
		Kind:  kindCount, Value: float64(c.MostInWindow), Observed: float64(c.MostInWindow),
		Expected: float64(expected), P: bound(c.MostInWindow),
	}
}

// stuckBits bounds the probability that any bit of a row is the same in all rows. Each block holds each
// bit of a row at least 39 times.
func stuckBits(c *Counters) Statistic {
	const rowBits, times = 8 * RowBytes, fips.BlockBytes / RowBytes
	ones, zeros := c.stuck()
	n := 0
	for i := range ones {
		n += bits.OnesCount8(ones[i]) + bits.OnesCount8(zeros[i])
	}
	s := Statistic{Kind: kindCount, Value: float64(n), Observed: float64(n), P: 1}
	if n > 0 {
		s.P = 2 * rowBits * math.Exp2(-times*float64(c.Blocks))
	}
	return s
}

// repeated bounds the probability that any stretch as long as the first one found, n bytes, came within
// repeat.MaxPeriod bytes before: 2^(-H n) for each place and period, at the claimed min-entropy.
func repeated(run *Run, claim float64) Statistic {
	s := Statistic{Kind: kindCount, P: 1}
	if r := run.Repeat; r != nil {
		s.Where = fmt.Sprintf("offset %d", r.Offset)
		s.Value = float64(r.Bytes)
		s.Observed = s.Value
		s.P = min(1, float64(run.Bytes)*repeat.MaxPeriod*math.Exp2(-claim*float64(r.Length)))
	}
	return s
}
