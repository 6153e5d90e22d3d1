package audit

import (
	"fmt"
	"math"
	"strings"
)

// stuck returns the bits of a row that are always and never one, none without data.
func (c *Counters) stuck() (ones, zeros [RowBytes]byte) {
	if c.Blocks == 0 {
		return ones, zeros
	}
	for i, ever := range c.Ever {
		zeros[i] = ^ever
	}
	return c.Always, zeros
}

// stuckRow returns what stuck does and the length in bytes of the shortest row, a power of two, that has
// the same bits stuck each time.
func (c *Counters) stuckRow() (ones, zeros [RowBytes]byte, length int) {
	ones, zeros = c.stuck()
	for length = 1; length < RowBytes; length *= 2 {
		same := true
		for i := length; i < RowBytes; i++ {
			same = same && ones[i] == ones[i-length] && zeros[i] == zeros[i-length]
		}
		if same {
			break
		}
	}
	return ones, zeros, length
}

// stuckPlaces finds bits at some place of each word or row that never change.
func stuckPlaces(run *Run) *Hint {
	ones, zeros, length := run.stuckRow()
	const most = 3
	var places []string
	for i := 0; i < length; {
		first := i
		for i < length && ones[i] == ones[first] && zeros[i] == zeros[first] {
			i++
		}
		if mask := ones[first] | zeros[first]; mask != 0 {
			places = append(places, stuckPlace(first, i, length, ones[first], mask))
		}
	}
	if len(places) == 0 {
		return nil
	}
	if more := len(places) - most; more > 0 {
		places = append(places[:most], fmt.Sprintf("%d places more", more))
	}
	return hint(HintStuckBits, "%s", strings.Join(places, "; "))
}

// stuckPlace says what the bytes from first to before end of each row are in the bits of a mask.
func stuckPlace(first, end, length int, value, mask byte) string {
	place := fmt.Sprintf("bytes %d to %d of every %d bytes are", first, end-1, length)
	switch {
	case length == 1:
		place = "every byte is"
	case first == end-1:
		place = fmt.Sprintf("byte %d of every %d bytes is", first, length)
	}
	place += fmt.Sprintf(" always %02x", value)
	if mask != 0xFF {
		place += fmt.Sprintf(" in the bits of %02x", mask)
	}
	return place
}

// cookedTTY finds what a terminal line does to bytes unless it is set to raw mode: it turns carriage
// returns into line feeds (or the reverse), puts a carriage return before each line feed, and keeps
// XON and XOFF to itself.
func cookedTTY(run *Run) *Hint {
	const (
		enough  = 20 // expected of each value: an ideal source leaves none out
		mayMiss = 16 // values; more are no matter of control bytes
		lf, cr  = 0x0A, 0x0D
		xon     = 0x11
		xoff    = 0x13
	)
	values := &run.Sampled.Values
	expected := float64(total(values[:])) / 256
	missing := 0
	for _, n := range values {
		if n == 0 {
			missing++
		}
	}
	if expected < enough || missing > mayMiss {
		return nil
	}
	often := func(n int64) bool { return float64(n) > 1.5*expected }
	var signs []string
	switch {
	case values[cr] == 0 && often(values[lf]):
		signs = append(signs, "0d never occurs and 0a twice as often as it should")
	case values[lf] == 0 && often(values[cr]):
		signs = append(signs, "0a never occurs and 0d twice as often as it should")
	case values[cr] == 0:
		signs = append(signs, "0d never occurs")
	case values[lf] > 0 && float64(run.Sampled.LineEnds) > 0.95*float64(values[lf]):
		signs = append(signs, "every 0a follows a 0d")
	}
	if values[xon] == 0 && values[xoff] == 0 {
		signs = append(signs, "11 and 13 never occur")
	}
	if signs == nil {
		return nil
	}
	return hint(HintCookedTTY, "bytes of a terminal in cooked mode: %s", strings.Join(signs, ", "))
}

// farOff is the number of standard deviations from which on a share of bits is a cause.
const farOff = 6

// bias finds more or less ones than zeros.
func bias(run *Run) *Hint {
	share := run.Bias()
	if math.Abs(share.Z()) < farOff {
		return nil
	}
	return hint(HintBias, "%s of the bits are ones", percent(share.Fraction()))
}

// correlation finds the lag at which bits depend most on those before, beyond what bias alone makes of
// independent bits: of these p^2 + (1-p)^2 are equal.
func correlation(run *Run) *Hint {
	p := run.Bias().Fraction()
	biased := p*p + (1-p)*(1-p)
	lag, excess := 0, 0.0
	var worst Share
	for i, share := range run.Correlation() {
		if share.Of == 0 {
			return nil
		}
		off := (share.Fraction() - biased) * math.Sqrt(float64(share.Of)/biased/(1-biased))
		if math.Abs(off) > math.Abs(excess) {
			lag, excess, worst = i+1, off, share
		}
	}
	equal := percent(worst.Fraction())
	switch {
	case math.Abs(excess) < farOff:
		return nil
	case lag > 1:
		return hint(HintCorrelation, "%s of the bits equal those %d bits before", equal, lag)
	case excess > 0:
		return hint(HintSticky, "sticky: %s of the bits equal the one before", equal)
	}
	return hint(HintAlternating, "alternating: only %s of the bits equal the one before", equal)
}
