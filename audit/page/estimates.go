package page

import (
	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// estimate is a row of the table of SP 800-90B estimates.
type estimate struct {
	sp80090b.Estimate
	Unit     string           // of what it is the min-entropy
	Most     float64          // what it can be at most
	Limiting bool             // it is the one that decides
	Ideal    *audit.Reference // nil if not known
}

// estimates lists those of the samples, then those of their bits.
func estimates(a *audit.Assessment) []estimate {
	if a == nil || a.Assessment == nil {
		return nil
	}
	bitsDecide := len(a.BitString) > 0 && float64(a.SymbolBits)*a.HBitString < a.HOriginal
	var rows []estimate
	for _, list := range []struct {
		estimates sp80090b.Estimates
		on, unit  string
		most      float64
		decides   bool
	}{
		{a.Literal, audit.OnSamples, "a byte", float64(a.SymbolBits), !bitsDecide},
		{a.BitString, audit.OnBits, "a bit", 1, bitsDecide},
	} {
		weakest := list.estimates.Weakest().Name
		for _, e := range list.estimates {
			rows = append(rows, estimate{
				Estimate: e, Unit: list.unit, Most: list.most,
				Limiting: list.decides && e.Name == weakest,
				Ideal:    a.IdealOf(list.on, e.Name),
			})
		}
	}
	return rows
}

// Low says that an ideal source rarely gets such an estimate, or that none of those simulated did;
// else it is "".
func (e estimate) Low() string {
	switch {
	case e.Ideal == nil || e.MinEntropy >= e.Ideal.Low:
		return ""
	case e.MinEntropy >= e.Ideal.Lowest:
		return "low"
	}
	return "too low"
}

// At returns where a value is on the strip beside the estimate, a line of 160 units from 0 to the most
// with a margin of 6.
func (e estimate) At(value float64) string {
	return coordinate(6 + 160*min(1, max(0, value/e.Most)))
}
