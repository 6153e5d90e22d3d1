package audit

import (
	"fmt"
	"math"
)

// wordTwice finds words that are delivered more than once in a row: a register that is read faster than
// it is filled. Words of 8 and 16 bytes are in step with the start of a block, from which they are
// counted, only in every second and fourth block.
func wordTwice(run *Run) *Hint {
	values := &run.Sampled.Values
	n := float64(total(values[:]))
	equal := 0.0 // probability that two bytes are equal, were they independent
	for _, count := range values {
		equal += float64(count) / n * float64(count) / n
	}
	for i, count := range run.Sampled.EqualWords {
		pairs, _ := wordPairs(&run.Counters, i)
		if pairs == 0 {
			return nil
		}
		size := 1 << i
		inStep := min(1, 4/float64(size))
		share := float64(count) / float64(pairs) / inStep
		if share < 0.3 || share > 0.95 || share < 2*math.Pow(equal, float64(size)) {
			continue
		}
		if share < 0.6 {
			return hint(HintWordTwice, "every word of %d bits comes twice", 8*size)
		}
		return hint(HintWordTwice, "every word of %d bits comes %.0f times", 8*size, 1/(1-share))
	}
	return nil
}

// periodic finds data that is the same over and over for most of the stream. With a period of one byte
// it is stuck, and too short for stuckAt.
func periodic(run *Run) *Hint {
	r := run.Repeat
	switch {
	case r == nil || r.Length < run.Bytes/2:
		return nil
	case r.Period == 1:
		return hint(HintStuck, "stuck: %d bytes equal the one before", r.Length)
	}
	return hint(HintRepeats, "repeats every %d bytes", r.Period)
}

// repeats finds data that came before. What repeats within equal bytes is a gap.
func repeats(run *Run) *Hint {
	r := run.Repeat
	if r == nil || r.Period == 1 {
		return nil
	}
	for _, p := range run.Plateaus {
		if p.Offset <= r.Offset && r.Offset < p.Offset+p.Length {
			return nil
		}
	}
	return hint(HintRepeats, "%s at offset %d came before, %s earlier; repeated in all: %d",
		plural(r.Length, "byte"), r.Offset, plural(int64(r.Period), "byte"), r.Bytes)
}

// gaps finds stretches of one byte value: a driver that hands out a buffer it has not filled.
func gaps(run *Run) *Hint {
	if len(run.Plateaus) == 0 {
		return nil
	}
	first := run.Plateaus[0]
	what := "zero gap"
	if first.Value != 0 {
		what = fmt.Sprintf("gap filled with %02x", first.Value)
	}
	one := fmt.Sprintf("%s of %d bytes at offset %d", what, first.Length, first.Offset)
	switch n := len(run.Plateaus); n {
	case 1:
		return hint(HintGap, "%s", one)
	case MaxPlateaus:
		return hint(HintGap, "%d gaps or more, the first a %s", n, one)
	default:
		return hint(HintGap, "%d gaps, the first a %s", n, one)
	}
}
