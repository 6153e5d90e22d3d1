package page

import (
	"math"
	"strconv"
)

// axis maps values to a stretch of a drawing and says where its marks are.
type axis struct {
	label    string
	lo, hi   float64 // values at the ends
	from, to float64 // their places, in units of the drawing
	ticks    []tick
}

// tick is a mark on an axis with its text.
type tick struct {
	at   float64
	text string
}

// at returns the place of a value.
func (a *axis) at(v float64) float64 {
	return a.from + (v-a.lo)/(a.hi-a.lo)*(a.to-a.from)
}

// linear makes an axis from lo to hi, with about n marks at round values.
func linear(label string, lo, hi float64, n int, text func(v, step float64) string) axis {
	if !(hi > lo) {
		hi = lo + 1
	}
	return stepped(label, lo, hi, roundStep((hi-lo)/float64(n)), text)
}

// counts makes an axis for whole numbers from 0 to hi.
func counts(label string, hi float64) axis {
	hi = max(1, hi)
	return stepped(label, 0, hi, max(1, roundStep(hi/5)), plainTick)
}

// stepped makes an axis with marks at the multiples of step.
func stepped(label string, lo, hi, step float64, text func(v, step float64) string) axis {
	a := axis{label: label, lo: lo, hi: hi}
	// A thousandth of a step forgives the rounding of values that should be at an end.
	for i := math.Ceil(lo/step - 1e-3); i <= hi/step+1e-3; i++ {
		a.ticks = append(a.ticks, tick{at: i * step, text: text(i*step, step)})
	}
	return a
}

// marked makes an axis with marks at the given values.
func marked(label string, lo, hi float64, text func(v float64) string, marks ...float64) axis {
	a := axis{label: label, lo: lo, hi: hi}
	for _, v := range marks {
		a.ticks = append(a.ticks, tick{at: v, text: text(v)})
	}
	return a
}

// place lays the axis from one place to another.
func (a *axis) place(from, to float64) {
	a.from, a.to = from, to
	for i := range a.ticks {
		a.ticks[i].at = a.at(a.ticks[i].at)
	}
}

// roundStep returns the smallest of 1, 2 and 5 times a power of ten that is at least x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// plainTick writes a mark with as many decimals as the step has.
func plainTick(v, step float64) string {
	if step >= 1 {
		return countTick(v)
	}
	return tidyZero(strconv.FormatFloat(v, 'f', int(math.Ceil(-math.Log10(step)-1e-9)), 64))
}

// offsetTick writes a distance from what is expected, with its sign.
func offsetTick(v, step float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	sign := "+"
	if v < 0 {
		sign = minus
	}
	if step < 1e-3 {
		// As many digits as the step needs: what follows is rounding error.
		digits := int(math.Floor(math.Log10(math.Abs(v))+1e-9) - math.Floor(math.Log10(step)+1e-9))
		return sign + tidy(strconv.FormatFloat(math.Abs(v), 'e', max(0, digits), 64))
	}
	return sign + plainTick(math.Abs(v), step)
}

// countTick writes whole numbers, large ones with a prefix.
func countTick(v float64) string {
	if v < 10000 {
		return count(int64(math.Round(v)))
	}
	number, prefix := prefixed(v, 4)
	return number + prefix
}

// tidyZero turns a negative zero into a plain one and writes true minus signs.
func tidyZero(text string) string {
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == 0 {
		return "0"
	}
	if text[0] == '-' {
		return minus + text[1:]
	}
	return text
}
