package audit

import (
	"slices"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// What a Reference is about.
const (
	OnSamples = "literal"   // the samples as they are, in bits a sample
	OnBits    = "bitstring" // their bits, in bits a bit
	Assessed  = "assessed"  // the name of the result: the smaller of both, in bits a sample
)

// NewAssessment puts estimates of 8-bit samples beside those of an ideal source.
func NewAssessment(a *sp80090b.Assessment) *Assessment {
	return &Assessment{Assessment: a, LimitedBy: LimitOf(a), Ideal: idealEstimates(a.Samples)}
}

// LimitOf finds the estimate that decides.
func LimitOf(a *sp80090b.Assessment) Limit {
	switch {
	case a.AssessedMinEntropy < a.HOriginal:
		return Limit{a.BitString.Weakest().Name, OnBits}
	case a.HOriginal < float64(a.SymbolBits) || len(a.Literal) > 0 && a.Literal.Min() == a.HOriginal:
		return Limit{a.Literal.Weakest().Name, OnSamples}
	}
	return Limit{}
}

// IdealOf returns the range of one estimate, nil if there is none.
func (a *Assessment) IdealOf(on, name string) *Reference {
	i := slices.IndexFunc(a.Ideal, func(r Reference) bool { return r.On == on && r.Name == name })
	if i < 0 {
		return nil
	}
	return &a.Ideal[i]
}

// idealEstimates returns the ranges of the estimates of so many 8-bit samples, none if there are fewer
// than the table knows. Between two numbers of samples of the table, a range spans those of both:
// estimates jump with the lengths of repeats and of runs of right guesses, so that one cannot
// interpolate.
func idealEstimates(samples int) []Reference {
	below := -1
	for i := range idealTable {
		if idealTable[i].samples <= samples {
			below = i
		}
	}
	if below < 0 {
		return nil
	}
	list := slices.Clone(idealTable[below].ranges)
	if idealTable[below].samples == samples || below == len(idealTable)-1 {
		return list
	}
	for i, above := range idealTable[below+1].ranges {
		list[i].Lowest = min(list[i].Lowest, above.Lowest)
		list[i].Low = min(list[i].Low, above.Low)
		list[i].High = max(list[i].High, above.High)
	}
	return list
}
