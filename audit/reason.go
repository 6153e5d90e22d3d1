package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// cause says in a sentence what the evidence is: the hint that explains it, or else the worst figure.
func (r *Report) cause(e evidence) string {
	for _, h := range r.Hints {
		if h.Name != HintTextPrefix {
			return h.Text
		}
	}
	if e.test != nil {
		return e.test.sentence(r.Run.Blocks)
	}
	return e.statistic.sentence()
}

// fewerIsRemarkable is the probability below which few failures are worth a word, even in a pass.
const fewerIsRemarkable = 0.001

// sentence says how many blocks failed and how often an ideal source does so.
func (t *Test) sentence(blocks int64) string {
	failed := "failed"
	if t.Name != anyTest {
		failed += " the " + t.Title + " test"
	}
	blocksFailed := plural(blocks, "block") + " " + failed
	switch {
	case t.PFewer < fewerIsRemarkable:
		return fmt.Sprintf("%d of %s; an ideal source fails as few or fewer %s: failing blocks may have been taken out", t.Failures, blocksFailed, often(t.PFewer))
	case t.Failures == 0:
		return fmt.Sprintf("none of %s; of an ideal source %s would", blocksFailed, approx(t.Expected))
	}
	return fmt.Sprintf("%d of %s; an ideal source fails as many or more %s", t.Failures, blocksFailed, often(t.PMore))
}

// sentence says what the figure is and how often that of an ideal source is as extreme.
func (s *Statistic) sentence() string {
	return s.fact() + "; an ideal source is as extreme " + often(s.P)
}

// fact says what the figure is.
func (s *Statistic) fact() string {
	share := percent(s.Observed)
	switch s.Name {
	case statBias:
		return share + " of the bits are ones"
	case statRuns:
		return fmt.Sprintf("runs of %s came %.0f times, %s expected", s.Where, s.Observed, approx(s.Expected))
	case statNibbles:
		return "values of 4 bits" + s.unevenly()
	case statBytes:
		return "values of bytes" + s.unevenly() + ", " + s.Where
	case statAutocorrelation:
		return fmt.Sprintf("%s of the bits equal those %s bits before", share, strings.TrimPrefix(s.Where, "lag "))
	case statLaneBias:
		return fmt.Sprintf("%s is one in %s of the words", s.Where, share)
	case statLaneCorrelation:
		return fmt.Sprintf("%s equals the bit just before in %s of the words", s.Where, share)
	case statWordCorrelation:
		return fmt.Sprintf("%s equals that of the word before in %s of the words", s.Where, share)
	case statEqualWords:
		return fmt.Sprintf("%.0f words of %s equal the one before, %s expected", s.Observed, s.Where, approx(s.Expected))
	case statLongestRun:
		return fmt.Sprintf("%.0f equal bits came in a row", s.Observed)
	case statRepetition:
		return fmt.Sprintf("%.0f equal bytes came in a row", s.Observed)
	case statProportion:
		return fmt.Sprintf("%.0f bytes of a window equal its first", s.Observed)
	case statStuckBits:
		return fmt.Sprintf("%.0f of the %d bits of a row of %d bytes never change", s.Observed, 8*RowBytes, RowBytes)
	case statRepeats:
		return fmt.Sprintf("%.0f bytes came before, the first at %s", s.Observed, s.Where)
	}
	panic("audit: no words for the statistic " + s.Name)
}

// unevenly says on which side of its mean a chi-square is.
func (s *Statistic) unevenly() string {
	how := " are too uneven"
	if s.Value < s.Expected {
		how = " are too even"
	}
	return fmt.Sprintf("%s, chi-square %.4g of %.0f degrees of freedom", how, s.Value, s.Expected)
}

// often says how often something of probability p happens.
func often(p float64) string {
	switch {
	case p >= 0.1:
		return fmt.Sprintf("in %.0f %% of audits", 100*p)
	case p >= 0.001:
		return fmt.Sprintf("in %.2g %% of audits", 100*p)
	case p == 0:
		return "with a probability below 1e-300"
	}
	return "with a probability of " + scientific(p)
}

// approx writes a number that is not exact anyway with two digits or without a fraction.
func approx(x float64) string {
	switch {
	case x >= 10:
		return fmt.Sprintf("%.0f", x)
	case x < 0.001 && x > 0:
		return scientific(x)
	}
	return fmt.Sprintf("%.2g", x)
}

// scientific writes a small number with two digits, as in 3.5e-4.
func scientific(x float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 1, 64), "e-")
	return mantissa + "e-" + strings.TrimPrefix(exponent, "0")
}

// percent writes a fraction with as many digits as tell it from one half.
func percent(fraction float64) string {
	for digits := 1; ; digits++ {
		text := strconv.FormatFloat(100*fraction, 'f', digits, 64)
		off := 100*fraction - 50
		if digits >= 6 || off == 0 || math.Abs(off) > 2*math.Pow10(-digits) {
			return text + " %"
		}
	}
}

// plural writes a number with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
