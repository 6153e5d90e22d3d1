package ais31

import "fmt"

// Document names what was implemented.
const Document = "AIS 20/31, functionality classes for random number generators, version 2.0 (2011-09-18)"

// Verdict is the outcome of a procedure, or of both.
type Verdict string

// The three verdicts.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Insufficient Verdict = "insufficient" // a repetition is due, and there is no data for it
)

// Result is the outcome of procedures A and B.
type Result struct {
	Document string    `json:"document"`
	Verdict  Verdict   `json:"verdict"` // pass if both are passed, fail if one is failed
	A        Procedure `json:"procedure_a"`
	B        Procedure `json:"procedure_b"`
	Bytes    int64     `json:"bytes"` // of the data that were used
	// Needed is, if a repetition lacks data, the number of bytes from the start of the data
	// that will do.
	Needed int64 `json:"needed_bytes,omitempty"`
}

// Procedure is the outcome of one procedure.
type Procedure struct {
	Verdict Verdict `json:"verdict"`
	// Chance is the probability that an ideal source fails the procedure, its repetition
	// included.
	Chance   float64   `json:"chance"`
	Attempts []Attempt `json:"attempts"` // one, or two if it was repeated
}

// Attempt is one pass through a procedure.
type Attempt struct {
	Offset   int64  `json:"offset"` // of its first byte in the data
	Bytes    int64  `json:"bytes"`  // used, the last one perhaps in part
	Verdicts int    `json:"verdicts"`
	Failures int    `json:"failures"`
	Tests    []Test `json:"tests"`
}

// Test is one of the tests, over all sequences it was applied to.
type Test struct {
	Name     string `json:"name"`  // t0 to t5, t6a, t6b, t7a, t7b, t8
	Title    string `json:"title"` // for people
	Passed   bool   `json:"passed"`
	Verdicts int    `json:"verdicts"`
	Failures int    `json:"failures"`
	// Chance is the probability that one verdict about an ideal source is a failure.
	Chance     float64     `json:"chance"`
	Statistics []Statistic `json:"statistics,omitempty"`
	// Sequences are those of procedure A that failed, counted from 0.
	Sequences []int `json:"failed_sequences,omitempty"`
	// Note says at which shift the first sequence failed t5, or which samples of t6b, t7a and t7b
	// were not filled, so that there is no statistic.
	Note string `json:"note,omitempty"`
}

// Statistic is a figure with the limits within which it passes. Over several sequences it is
// the range of that figure, else Min and Max are equal.
type Statistic struct {
	Name   string  `json:"name"`
	Limits Limits  `json:"limits"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Limits are bounds on a figure; nil stands for none.
type Limits struct {
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Inclusive is whether the bounds themselves pass.
	Inclusive bool `json:"inclusive"`
}

// Contain reports whether v passes.
func (l Limits) Contain(v float64) bool {
	if l.Inclusive {
		return (l.Low == nil || *l.Low <= v) && (l.High == nil || v <= *l.High)
	}
	return (l.Low == nil || *l.Low < v) && (l.High == nil || v < *l.High)
}

// String returns for example "9655 <= x <= 10345" or "x < 34".
func (l Limits) String() string {
	sign := "<"
	if l.Inclusive {
		sign = "<="
	}
	s := "x"
	if l.Low != nil {
		s = fmt.Sprintf("%v %s x", *l.Low, sign)
	}
	if l.High != nil {
		s = fmt.Sprintf("%s %s %v", s, sign, *l.High)
	}
	return s
}

// A ShortError says that there is not enough data to run each procedure once.
type ShortError struct {
	Have int64
	Need int64 // always enough for that; a good source needs a little less
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("cannot run procedures A and B of AIS 20/31 on %d bytes: a good source needs %d to %d, a repetition included %d at most",
		e.Have, MinBytes, e.Need, MaxBytes)
}

// newTest returns a test of so many verdicts without failures.
func newTest(name, title string, verdicts int, chance float64, statistics ...Statistic) Test {
	return Test{Name: name, Title: title, Passed: true, Verdicts: verdicts, Chance: chance, Statistics: statistics}
}

// fail counts one failed verdict.
func (t *Test) fail() {
	t.Failures++
	t.Passed = false
}

// judge takes one figure for each statistic; together they are one verdict about a sequence.
func (t *Test) judge(sequence int, figures ...float64) {
	failed := false
	for i, v := range figures {
		s := &t.Statistics[i]
		if sequence == 0 {
			s.Min, s.Max = v, v
		}
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
		failed = failed || !s.Limits.Contain(v)
	}
	if failed {
		t.fail()
		t.Sequences = append(t.Sequences, sequence)
	}
}

// between returns a statistic that passes between the bounds, below one that passes below and
// above one that passes above the bound; atMost one that passes at the bound too.
func between(name string, low, high float64) Statistic {
	return Statistic{Name: name, Limits: Limits{Low: &low, High: &high}}
}

func below(name string, high float64) Statistic {
	return Statistic{Name: name, Limits: Limits{High: &high}}
}

func above(name string, low float64) Statistic {
	return Statistic{Name: name, Limits: Limits{Low: &low}}
}

func atMost(name string, high float64) Statistic {
	return Statistic{Name: name, Limits: Limits{High: &high, Inclusive: true}}
}
