//go:build !minimal

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// idealEstimates are what 8-bit samples of a perfect source get, by their number: means over sets of
// samples of ChaCha8, of which single ones differ by 0.1 to 1 bit, the more the fewer samples. They say
// how much of a shortfall is the method's.
var idealEstimates = []struct {
	samples int
	bits    float64
}{
	{1_000_000, 7.2},
	{100_000, 6.7},
	{10_000, 6.1},
	{1_000, 4.5},
}

// show prints the report for people.
func (a *assessReport) show(r *Report, in *sampleFile) {
	width := "by --bits"
	if in.derived {
		width = fmt.Sprintf("the largest is %d", slices.Max(in.samples))
	}
	r.Row(plain("file"), plain(a.File))
	r.Row(plain("samples"), plain(fmt.Sprintf("%d of %s (%s), %s", a.Samples, bitsText(a.SymbolBits), width, symbolsText(a.Symbols))))
	if a.Samples < sp80090b.EnoughSamples {
		r.Row(plain(""), warn(fmt.Sprintf("fewer than the %d that SP 800-90B asks for: estimates come out low, rare faults stay unseen", sp80090b.EnoughSamples)))
	}
	r.Section("Estimates of SP 800-90B section 6.3")
	showEstimates(r, []string{"bits a sample", "bits a bit"}, []sp80090b.Estimates{a.Literal, a.BitString}, func(row int, column string) bool {
		on := []string{audit.OnSamples, audit.OnBits}[row]
		return on == a.LimitedBy.On && column == a.LimitedBy.Estimator
	})
	r.Section("Result")
	r.Row(plain("  samples"), plain(fmt.Sprintf("%.6f bits a sample", a.HOriginal)))
	if len(a.BitString) > 0 {
		r.Row(plain("  bit string"), plain(fmt.Sprintf("%d x %.6f = %.6f bits a sample", a.SymbolBits, a.HBitString, float64(a.SymbolBits)*a.HBitString)))
	}
	r.Row(plain("  assessed"), Cell{fmt.Sprintf("%.6f bits of min-entropy a sample", a.AssessedMinEntropy), styleBold})
	r.Section("How to read it")
	for _, line := range a.reading() {
		r.Line("  " + line)
	}
}

// showEstimates prints a table of estimators, with a mark at the one that decides.
func showEstimates(r *Report, titles []string, lists []sp80090b.Estimates, decides func(list int, name string) bool) {
	head := []Cell{dim("  ESTIMATOR")}
	for _, title := range titles {
		head = append(head, dim(strings.ToUpper(title)))
	}
	r.Row(head...)
	var names []string
	for _, list := range lists {
		for _, e := range list {
			if !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return slices.Index(estimatorOrder, a) - slices.Index(estimatorOrder, b)
	})
	for _, name := range names {
		row := []Cell{plain("  " + name)}
		for i, list := range lists {
			cell := plain("-")
			if at := slices.IndexFunc(list, func(e sp80090b.Estimate) bool { return e.Name == name }); at >= 0 {
				cell = plain(fmt.Sprintf("%.6f", list[at].MinEntropy))
				if decides(i, name) {
					cell = warn(cell.text + " <- decides")
				}
			}
			row = append(row, cell)
		}
		r.Row(row...)
	}
}

// estimatorOrder is the order of section 6.3, in which each list is already.
var estimatorOrder = []string{
	"Most Common Value", "Collision", "Markov", "Compression", "t-Tuple", "LRS", "MultiMCW", "Lag", "MultiMMC", "LZ78Y",
}

// reading explains the result.
func (a *assessReport) reading() []string {
	lines := []string{
		"The smallest estimate counts. Each can only find faults of its own kind, and a sequence made",
		"by a cipher passes them all: the result is an upper bound of what may be claimed, no proof.",
	}
	if ideal := a.ideal(); ideal > 0 {
		lines = append(lines, fmt.Sprintf("The method is cautious: a perfect source gets about %.1f of 8 bits from so many samples.", ideal))
	} else {
		lines = append(lines, "The method is cautious: a perfect source does not get all bits either, the less the fewer samples.")
	}
	if a.Suggested == nil {
		return append(lines, "Nothing can be claimed for a source of such samples.")
	}
	claim := "A claim with a factor of two in hand, if these are the raw bytes of source hwrng:"
	if a.Source == jitter.Name {
		claim = fmt.Sprintf("A claim with at least a factor of two in hand (of a sample; no more than %g is taken):", jitter.MaxClaim)
	}
	return append(lines, claim, "  "+a.Suggested.String())
}

// ideal returns what a perfect source gets, 0 if not known.
func (a *assessReport) ideal() float64 {
	for _, row := range idealEstimates {
		if a.SymbolBits == 8 && a.Samples >= row.samples {
			return row.bits
		}
	}
	return 0
}

// bitsText names a width.
func bitsText(n int) string {
	if n == 1 {
		return "1 bit"
	}
	return fmt.Sprintf("%d bits", n)
}

// symbolsText counts the symbols that came up.
func symbolsText(n int) string {
	if n == 1 {
		return "all equal"
	}
	return fmt.Sprintf("%d different ones", n)
}
