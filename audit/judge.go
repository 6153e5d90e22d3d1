package audit

import (
	"fmt"
	"math"

	"github.com/hwrngd/hwrngd/fips"
)

// comparisons is the number of probabilities in the report of one stream: two for each of the six block
// tests, one for each member of each pooled statistic. Bonferroni's bound divides alpha by it.
const comparisons = 653

// MinBlocks is the smallest number of blocks with which a pass means something: a bias of 1 % of the
// bits, P(1) = 0.51, would have been seen with a probability of 99.9 % at DefaultAlpha. With
// za = Q^-1(DefaultAlpha / comparisons / 2), zb = Q^-1(0.001), where Q is the upper tail of the normal
// distribution, and d = 0.01, that takes
//
//	((za + zb sqrt(1 - 4 d^2)) / (2 d))^2
//
// bits, a little more than 10 blocks.
const MinBlocks = 11

// missed is the probability with which a fault that is Detectable goes unseen.
const missed = 0.001

// Judge makes a report of what was counted in one stream. Input, Machine, Timing, Label and Assessment
// are left for the caller to fill in. It panics if Rules.Validate has anything to say.
func Judge(run *Run, rules Rules) *Report {
	if err := rules.Validate(); err != nil {
		panic("audit: " + err.Error())
	}
	rules = rules.withDefaults()
	r := &Report{Schema: SchemaVersion, Profile: rules.Profile, Run: *run}
	r.Tests = blockTests(&r.Run.Counters, rules.Profile)
	r.Statistics = append(pooled(&r.Run.Counters, rules.Claim),
		named(statRepeats, "bytes that came before", repeated(&r.Run, rules.Claim)))
	evidence := r.weigh(rules)
	r.Hints = hints(r, evidence)
	r.conclude(rules, evidence)
	return r
}

// evidence is the worst figure of a report and what it amounts to.
type evidence struct {
	verdict   Verdict
	test      *Test // nil if a statistic is worst
	statistic *Statistic
}

// weigh sets the budget, what can be detected with it, and the verdict of each figure.
func (r *Report) weigh(rules Rules) evidence {
	b := &r.Budget
	*b = Budget{Alpha: rules.Alpha, Suspicious: rules.Alpha * suspiciousFactor, Smallest: 1}
	var worst evidence
	for i := range r.Tests {
		t := &r.Tests[i]
		b.Comparisons += 2
		if p := t.smallest(); p < b.Smallest {
			b.Smallest, b.By = p, t.Name
			worst = evidence{test: t}
		}
	}
	for i := range r.Statistics {
		s := &r.Statistics[i]
		b.Comparisons += s.Of
		if s.P < b.Smallest {
			b.Smallest, b.By = s.P, s.Name
			worst = evidence{statistic: s}
		}
	}
	b.Adjusted = b.adjust(b.Smallest)
	worst.verdict = b.verdict(b.Smallest)
	for i := range r.Tests {
		r.Tests[i].Verdict = b.verdict(r.Tests[i].smallest())
	}
	for i := range r.Statistics {
		r.Statistics[i].Verdict = b.verdict(r.Statistics[i].P)
	}
	r.Detectable = b.detectable(&r.Run.Counters)
	return worst
}

// adjust returns a bound on the probability that any figure of an ideal source has a p so small.
func (b *Budget) adjust(p float64) float64 { return min(1, p*float64(b.Comparisons)) }

// verdict judges a figure by its own p.
func (b *Budget) verdict(p float64) Verdict {
	switch adjusted := b.adjust(p); {
	case adjusted < b.Alpha:
		return Fail
	case adjusted < b.Suspicious:
		return Suspicious
	}
	return Pass
}

// detectable returns what would have been seen in so much data, nil if there is none.
func (b *Budget) detectable(c *Counters) *Detectable {
	lag1 := c.Correlation()[0].Of
	if c.Blocks == 0 || lag1 == 0 {
		return nil
	}
	perFigure := b.Alpha / float64(b.Comparisons)
	return &Detectable{
		Bias:        detectableShift(c.Blocks*fips.BlockBits, perFigure),
		Correlation: detectableShift(lag1, perFigure),
	}
}

// detectableShift returns the d for which a Share of n bits, each one with probability 1/2 + d, has a P
// below alpha with probability 1 - missed: the root of 2 d sqrt(n) - za = zb sqrt(1 - 4 d^2), with za
// the quantile of alpha/2 and zb that of missed.
func detectableShift(n int64, alpha float64) float64 {
	za, zb := normalQuantile(alpha/2), normalQuantile(missed)
	bits := float64(n)
	return (za*math.Sqrt(bits) + zb*math.Sqrt(bits+zb*zb-za*za)) / (bits + zb*zb) / 2
}

// conclude sets the verdict and its reason. Evidence of a fault counts however little data there is.
func (r *Report) conclude(rules Rules, e evidence) {
	blocks := r.Run.Blocks
	switch failures := r.Tests[0].Failures; {
	case e.verdict == Fail:
		r.Verdict, r.Reason = Fail, r.cause(e)
	case rules.Strict && failures > 0:
		r.Verdict, r.Reason = Fail, "no block may fail, but "+r.Tests[0].sentence(blocks)
	case blocks == 0:
		r.Verdict, r.Reason = Insufficient, fmt.Sprintf("no whole block of %d bytes came", fips.BlockBytes)
	case blocks < rules.Wanted:
		r.Verdict, r.Reason = Insufficient, fmt.Sprintf("only %d of %s came", blocks, plural(rules.Wanted, "block"))
	case blocks < MinBlocks:
		r.Verdict, r.Reason = Insufficient, fmt.Sprintf("%s came, and a pass means little with fewer than %d", plural(blocks, "block"), MinBlocks)
	case e.verdict == Suspicious:
		r.Verdict, r.Reason = Suspicious, r.cause(e)+"; look again, with more data"
	default:
		r.Verdict, r.Reason = Pass, r.Tests[0].sentence(blocks)
	}
}
