//go:build !minimal

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/audit/ais31"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// What counts alone cannot tell is computed from the first bytes, which the meter keeps.

// keep returns how many bytes are needed for it.
func (a *auditing) keep() int {
	n := 0
	if a.opt.assess {
		n = sp80090b.EnoughSamples
	}
	if a.opt.rules.Profile == audit.ProfileAIS31 {
		n = max(n, ais31.MaxBytes)
	}
	return n
}

// deepen adds to the report what is computed from data. An interrupted audit is reported without
// estimates, for whoever interrupts it does not want to wait.
func (a *auditing) deepen(ctx context.Context, report *audit.Report) {
	data := a.meter.Kept()
	if a.opt.rules.Profile == audit.ProfileAIS31 {
		judgeAIS31(report, data)
	}
	if !a.opt.assess || ctx.Err() != nil {
		return
	}
	samples := data[:min(len(data), sp80090b.EnoughSamples)]
	count := newTally("estimates", 0)
	erase := a.inv.watch(count.String)
	estimates, err := sp80090b.Assess(ctx, samples, 8, sp80090b.AssessOptions{Progress: count.set})
	erase()
	if err != nil {
		a.inv.Warn("no estimates of min-entropy: " + err.Error())
		return
	}
	report.Assessment = audit.NewAssessment(estimates)
}

// judgeAIS31 adds the test procedures of AIS 31, and makes a pass depend on them.
func judgeAIS31(report *audit.Report, data []byte) {
	result, err := ais31.Run(data)
	verdict, reason := audit.Insufficient, ""
	if err != nil { // too little data
		reason = err.Error()
	} else {
		report.AIS31 = result
		verdict, reason = audit.Verdict(result.Verdict), reasonAIS31(result)
	}
	worse := verdict == audit.Fail && report.Verdict != audit.Fail || verdict == audit.Insufficient && report.Verdict == audit.Pass
	if worse {
		report.Verdict, report.Reason = verdict, reason
	}
}

// reasonAIS31 says why a result is no pass.
func reasonAIS31(r *ais31.Result) string {
	if r.Verdict == ais31.Insufficient {
		return fmt.Sprintf("a single verdict of AIS 31 failed, so that its procedure must be repeated: bring %d bytes", r.Needed)
	}
	var failed []string
	for _, p := range []struct {
		name string
		ais31.Procedure
	}{{"A", r.A}, {"B", r.B}} {
		if p.Verdict != ais31.Fail {
			continue
		}
		last := p.Attempts[len(p.Attempts)-1]
		var tests []string
		for _, t := range last.Tests {
			if !t.Passed {
				tests = append(tests, strings.ToUpper(t.Name[:1])+t.Name[1:])
			}
		}
		failed = append(failed, fmt.Sprintf("procedure %s: %d of %d verdicts (%s)", p.name, last.Failures, last.Verdicts, strings.Join(tests, ", ")))
	}
	return "AIS 31 failed, " + strings.Join(failed, "; ")
}

// showAIS31 prints a line for each procedure.
func showAIS31(r *Report, a *audit.Report) {
	result, ok := a.AIS31.(*ais31.Result)
	if !ok {
		return
	}
	r.Section("AIS 31")
	r.Row(dim("  PROCEDURE"), dim("VERDICT"), dim("FAILED"), dim("AN IDEAL SOURCE FAILS"))
	for _, p := range []struct {
		name string
		ais31.Procedure
	}{{"A", result.A}, {"B", result.B}} {
		var attempts []string
		for _, attempt := range p.Attempts {
			attempts = append(attempts, fmt.Sprintf("%d of %d", attempt.Failures, attempt.Verdicts))
		}
		verdict := audit.Verdict(p.Verdict)
		r.Row(plain("  "+p.name), verdictCells[verdict](string(verdict)), plain(strings.Join(attempts, ", repeated ")), plain(chanceText(p.Chance)))
	}
}

// showAssessment prints the estimates of min-entropy, each beside the range of an ideal source.
func showAssessment(r *Report, a *audit.Assessment) {
	if a == nil {
		return
	}
	r.Section(fmt.Sprintf("SP 800-90B estimates of the first %d bytes", a.Samples))
	r.Row(dim("  ESTIMATOR"), dim("BITS A BYTE"), dim("IDEAL"), dim("BITS A BIT"), dim("IDEAL"))
	lists := []struct {
		on string
		sp80090b.Estimates
	}{{audit.OnSamples, a.Literal}, {audit.OnBits, a.BitString}}
	for _, name := range estimatorOrder {
		row := []Cell{plain("  " + name)}
		for _, list := range lists {
			row = append(row, estimateCells(a, list.on, list.Estimates, name)...)
		}
		r.Row(row...)
	}
	row := []Cell{plain("  assessed"), {fmt.Sprintf("%.4f", a.AssessedMinEntropy), styleBold}}
	if ideal := a.IdealOf("", audit.Assessed); ideal != nil {
		row = append(row, plain(rangeText(ideal)))
	}
	r.Row(row...)
}

// estimateCells are the cells of one estimate and of its range.
func estimateCells(a *audit.Assessment, on string, list sp80090b.Estimates, name string) []Cell {
	at := slices.IndexFunc(list, func(e sp80090b.Estimate) bool { return e.Name == name })
	if at < 0 {
		return []Cell{plain("-"), plain("")}
	}
	h := list[at].MinEntropy
	cell := plain(fmt.Sprintf("%.4f", h))
	ideal := a.IdealOf(on, name)
	if ideal != nil && h < ideal.Low {
		cell = warn(cell.text + " low")
	}
	if a.LimitedBy == (audit.Limit{Estimator: name, On: on}) {
		cell.text += " <- decides"
	}
	return []Cell{cell, plain(rangeText(ideal))}
}

// rangeText is the range of 98 % of all ideal sources.
func rangeText(r *audit.Reference) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%.4f to %.4f", r.Low, r.High)
}
