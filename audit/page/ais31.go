package page

import (
	"strconv"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/audit/ais31"
)

// procedure is one of the two of AIS 31, with its attempts.
type procedure struct {
	Name string
	ais31.Procedure
}

// procedures returns those of the report, nil if they were not run.
func procedures(r *audit.Report) []procedure {
	result, ok := r.AIS31.(*ais31.Result)
	if !ok || result == nil {
		return nil
	}
	return []procedure{{"A", result.A}, {"B", result.B}}
}

// passed is the verdict of a test of AIS 31.
func passed(ok bool) audit.Verdict {
	if ok {
		return audit.Pass
	}
	return audit.Fail
}

// observed writes a figure of AIS 31, or the range of those of several sequences.
func observed(s ais31.Statistic) string {
	if s.Min == s.Max {
		return figure(s.Min, 5)
	}
	return figure(s.Min, 5) + " to " + figure(s.Max, 5)
}

// limits writes the bounds of a figure with all of their digits.
func limits(l ais31.Limits) string {
	low, high := "", ""
	if l.Low != nil {
		low = exact(*l.Low)
	}
	if l.High != nil {
		high = exact(*l.High)
	}
	sign := map[bool]string{true: "≤", false: "<"}[l.Inclusive]
	switch {
	case low != "" && high != "":
		return low + " " + sign + " x " + sign + " " + high
	case low != "":
		return low + " " + sign + " x"
	case high != "":
		return "x " + sign + " " + high
	}
	return ""
}

// exact writes a number with all of its digits.
func exact(x float64) string {
	if x == float64(int64(x)) {
		return count(int64(x))
	}
	return tidy(strconv.FormatFloat(x, 'g', -1, 64))
}
