package audit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// maySuspect is the probability below which the number of suspicious units makes a lot suspicious. Each
// ideal unit is one with a probability of Budget.Suspicious, 1e-4: among three units one is too many,
// of 10,000 it is what to expect.
const maySuspect = 0.01

// Merge makes the report of a lot from those of its units: their counters add up, are judged like those of
// one stream with a budget of their own, and see what a single unit is too short to show. A report
// of a lot counts as its units.
//
// The lot fails if a unit failed, if the sum does, or if two units delivered the same data. Otherwise it is
// insufficient if a unit is, and suspicious if the sum is, or if more units are than chance explains.
//
// It is an error if there is no report, if one is given twice, has another schema version or was judged by
// another profile than that of the rules, or if the rules are not valid.
func Merge(reports []*Report, rules Rules) (*Report, error) {
	if err := rules.Validate(); err != nil {
		return nil, fmt.Errorf("merge reports: %w", err)
	}
	rules = rules.withDefaults()
	if len(reports) == 0 {
		return nil, errors.New("merge reports: there is none")
	}
	lot := &Report{Schema: SchemaVersion, Profile: rules.Profile}
	sameData := map[string][]*Report{}
	for _, r := range reports {
		if err := mergeable(r, sameData[r.Run.SHA256], rules.Profile); err != nil {
			return nil, fmt.Errorf("merge reports: %s: %w", r.name(), err)
		}
		sameData[r.Run.SHA256] = append(sameData[r.Run.SHA256], r)
		lot.Run.Add(&r.Run.Counters)
		lot.Units = append(lot.Units, r.units()...)
	}
	lot.Input = Input{Name: plural(int64(len(lot.Units)), "unit"), Kind: "lot", Wanted: rules.Wanted, Stopped: "end"}
	lot.Tests = blockTests(&lot.Run.Counters, rules.Profile)
	lot.Statistics = pooled(&lot.Run.Counters, rules.Claim)
	evidence := lot.weigh(rules)
	lot.Hints = hints(lot, evidence)
	lot.conclude(rules, evidence)
	lot.concludeUnits()
	return lot, nil
}

// mergeable says why a report cannot be merged with others, of which some are of the same data.
func mergeable(r *Report, sameData []*Report, profile string) error {
	switch {
	case r.Schema != SchemaVersion:
		return fmt.Errorf("schema version %d, this program has %d", r.Schema, SchemaVersion)
	case r.Profile != profile:
		return fmt.Errorf("judged by profile %s, the lot is by %s: audit its data again with --profile=%s", r.Profile, profile, profile)
	}
	for _, other := range sameData {
		if r == other || reflect.DeepEqual(r, other) {
			return errors.New("this report is given twice")
		}
	}
	return nil
}

// name returns what people know the data of a report by.
func (r *Report) name() string {
	if r.Label != "" {
		return r.Label
	}
	return r.Input.Name
}

// units returns the units of a lot, or the one that the report is of.
func (r *Report) units() []Unit {
	if len(r.Units) > 0 {
		return r.Units
	}
	any := blockTests(&r.Run.Counters, r.Profile)[0]
	return []Unit{{
		Name: r.name(), Verdict: r.Verdict, Reason: r.Reason,
		Blocks: r.Run.Blocks, Failures: any.Failures, SHA256: r.Run.SHA256, PMore: any.PMore,
	}}
}

// concludeUnits changes verdict and reason to what the units make of them, unless the sum is worse.
func (r *Report) concludeUnits() {
	var reasons []string
	failed := r.unitsWith(Fail)
	if failed != "" {
		r.Hints = nil // of a sum that holds bad data
		reasons = append(reasons, failed)
	}
	if pairs := r.duplicates(); pairs != nil {
		h := hint(HintDuplicates, "the same data from different units: %s", some(pairs, ", "))
		r.Hints = append([]Hint{*h}, r.Hints...)
		reasons = append(reasons, h.Text)
	}
	if reasons != nil {
		r.Verdict, r.Reason = Fail, strings.Join(reasons, "; ")
		return
	}
	for _, v := range []Verdict{Insufficient, Suspicious} {
		if r.Verdict == Fail || r.Verdict == v {
			return
		}
		if reason := r.unitsWith(v); reason != "" {
			r.Verdict, r.Reason = v, reason
			return
		}
	}
}

// unitsWith says which units have a bad verdict, "" if none has, or no more than maySuspect.
func (r *Report) unitsWith(v Verdict) string {
	var which []string
	for _, u := range r.Units {
		if u.Verdict == v {
			which = append(which, fmt.Sprintf("%s (%s)", u.Name, u.Reason))
		}
	}
	n, all := int64(len(which)), int64(len(r.Units))
	if n == 0 || v == Suspicious && binomialMore(all, r.Budget.Suspicious, n) >= maySuspect {
		return ""
	}
	return fmt.Sprintf("%d of %s: %s: %s", n, plural(all, "unit"), v, some(which, "; "))
}

// duplicates returns the pairs of units with the same data.
func (r *Report) duplicates() []string {
	var pairs []string
	first := map[string]string{}
	for _, u := range r.Units {
		if u.Blocks == 0 {
			continue // a dead unit has the same nothing as any other
		}
		if name, ok := first[u.SHA256]; ok {
			pairs = append(pairs, name+" and "+u.Name)
			continue
		}
		first[u.SHA256] = u.Name
	}
	return pairs
}

// some joins the first few of a list.
func some(list []string, separator string) string {
	const few = 3
	if more := len(list) - few; more > 0 {
		list = append(list[:few:few], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, separator)
}
