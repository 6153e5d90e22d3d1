//go:build !minimal

package main

import (
	"context"
	"fmt"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// restartReport is what hwrngd assess --restart --output=json prints, the figures beside these.
type restartReport struct {
	Schema int    `json:"schema_version"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Source string `json:"source,omitempty"`
	*sp80090b.RestartAssessment
}

// assessRestarts makes the restart tests of section 3.1.4.
func assessRestarts(ctx context.Context, inv *Invocation, opt *assessOptions) (int, error) {
	in, err := readSamples(ctx, inv, opt)
	if err != nil {
		return 0, err
	}
	columns := len(in.samples) / opt.rows
	if columns*opt.rows != len(in.samples) || columns < 2 || columns > 2000 {
		return 0, exitErrorf(exitUsage, fmt.Sprintf("hwrngd capture SOURCE --restart=%d makes such a file", sp80090b.RestartRows),
			"%s: %d samples are not %d rows of 2 to 2000", inputName(opt.file), len(in.samples), opt.rows)
	}
	if opt.claim > float64(in.bits) {
		return 0, exitErrorf(exitUsage, "", "--claim: %g bits are more than a sample of %s has", opt.claim, bitsText(in.bits))
	}
	count := newTally("estimates", 0)
	stop := inv.watch(count.String)
	a, err := sp80090b.AssessRestarts(ctx, in.samples, opt.rows, columns, in.bits, opt.claim, sp80090b.AssessOptions{Progress: count.set})
	stop()
	if err != nil {
		return 0, exitErrorAs(err)
	}
	code := exitOK
	if !a.Passed {
		code = exitFailedTests
	}
	if inv.JSON {
		return code, inv.WriteJSON(restartReport{1, opt.file, in.sha256(), in.source, a})
	}
	r := inv.NewReport()
	showRestarts(r, opt.file, a)
	return code, inv.WriteReport(r)
}

// showRestarts prints the report for people.
func showRestarts(r *Report, file string, a *sp80090b.RestartAssessment) {
	r.Row(plain("file"), plain(file))
	r.Row(plain("samples"), plain(fmt.Sprintf("%d rows, one a restart, of %d samples of %s", a.Rows, a.Columns, bitsText(a.SymbolBits))))
	if a.Rows != sp80090b.RestartRows || a.Columns != sp80090b.RestartColumns {
		r.Row(plain(""), warn(fmt.Sprintf("the standard asks for %d rows of %d: this is a rehearsal", sp80090b.RestartRows, sp80090b.RestartColumns)))
	}
	r.Section("Sanity check (section 3.1.4.3): the most common sample")
	r.Row(plain("  of a row"), plain(fmt.Sprintf("comes %d times", a.RowMax)), plain(fmt.Sprintf("at most %d allowed", a.RowCutoff)), passed(a.RowMax <= a.RowCutoff))
	r.Row(plain("  of a column"), plain(fmt.Sprintf("comes %d times", a.ColumnMax)), plain(fmt.Sprintf("at most %d allowed", a.ColumnCutoff)), passed(a.ColumnMax <= a.ColumnCutoff))
	r.Section("Validation (section 3.1.4.2): estimates in bits a sample")
	showEstimates(r, []string{"row by row", "column by column"}, []sp80090b.Estimates{a.RowEstimates, a.ColumnEstimates}, func(list int, name string) bool {
		return name == []sp80090b.Estimates{a.RowEstimates, a.ColumnEstimates}[list].Weakest().Name
	})
	r.Row(plain("  half of --claim"), plain(fmt.Sprintf("%.6f needed", a.HInitial/2)), passed(a.ValidationPassed))
	r.Section("Result")
	if a.Passed {
		r.Row(good("  passed"), plain(fmt.Sprintf("%.6f bits of min-entropy a sample", a.MinEntropy)))
		return
	}
	r.Row(bad("  failed"), plain("the source gives similar samples after each restart, or the claim is too high: it has no entropy estimate"))
}

func passed(ok bool) Cell {
	if ok {
		return good("passed")
	}
	return bad("failed")
}
