//go:build !minimal

package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hwrngd/hwrngd/audit"
)

// reportWidth is how wide the lines of a report may be.
const reportWidth = 100

// verdictCells are the words of the verdicts with their colours.
var verdictCells = map[audit.Verdict]func(string) Cell{
	audit.Pass: good, audit.Fail: bad, audit.Suspicious: warn, audit.Insufficient: warn,
}

// showAudit prints the report for people: what it comes to first, then why, then what it is about.
func showAudit(r *Report, a *audit.Report) {
	paragraph(r, verdictCells[a.Verdict](strings.ToUpper(string(a.Verdict))), sentence(a.Reason))
	if a.Input.Warning != "" {
		paragraph(r, bad("WARNING"), sentence(a.Input.Warning))
	}
	for _, h := range a.Hints {
		if h.Text != a.Reason { // it may be the reason already
			paragraph(r, dim("hint"), h.Text)
		}
	}
	if len(a.Units) > 0 {
		showUnits(r, a.Units)
	}
	showTests(r, a)
	showStatistics(r, a.Statistics)
	showAIS31(r, a)
	showAssessment(r, a.Assessment)
	r.Line("")
	showInput(r, a)
	r.Line("")
	showBudget(r, a)
}

// paragraph prints a word and, beside it, a text that may need several lines.
func paragraph(r *Report, word Cell, text string) {
	for _, line := range wrap(text, reportWidth-word.width()-2) {
		r.Row(word, plain(line))
		word = plain(strings.Repeat(" ", word.width()))
	}
	r.align()
}

// sentence makes a text begin like one.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// showInput says what was read and where.
func showInput(r *Report, a *audit.Report) {
	row := func(name, text string) {
		if text != "" {
			r.Row(plain(name), plain(text))
		}
	}
	in, run := &a.Input, &a.Run
	row("label", a.Label)
	input := in.Name + " (" + in.Kind + ")"
	if in.Generator != "" {
		input += ", generator " + in.Generator
		if in.Quality != "" {
			input += ", quality " + in.Quality + "/1024"
		}
	}
	row("input", input)
	read := blocksText(run.Blocks)
	if in.Wanted > 0 {
		read = fmt.Sprintf("%d of ", run.Blocks) + blocksText(in.Wanted)
	}
	read += fmt.Sprintf(" in %d bytes", run.Bytes)
	if len(a.Units) == 0 {
		read += ", " + endings[in.Stopped]
	}
	row("read", read)
	if t := a.Timing; t != nil && t.Seconds > 0 {
		row("time", fmt.Sprintf("%s, %s; first byte after %s, slowest read %s", tookText(t.Seconds), speedText(float64(run.Bytes)/t.Seconds), tookText(t.First), tookText(t.Slowest)))
	}
	row("error", in.Error)
	if m := a.Machine; m != nil {
		var parts []string
		for _, part := range []string{m.Board, "Linux " + m.Kernel, m.CPU} {
			if part != "" && part != "Linux " {
				parts = append(parts, part)
			}
		}
		row("machine", strings.Join(parts, ", "))
	}
	row("SHA-256", run.SHA256)
}

// endings say why reading ended.
var endings = map[string]string{
	stoppedEnd:         "to the end",
	stoppedBlocks:      "as asked for",
	stoppedBytes:       "as asked for",
	stoppedDuration:    "until the time was up",
	stoppedConfident:   "until the verdict was sure",
	stoppedInterrupted: "until interrupted",
	stoppedError:       "until an error",
}

// verdictStyle colours a figure by its verdict; what passes needs none.
func verdictStyle(v audit.Verdict, text string) Cell {
	if bears(v) {
		return verdictCells[v](text)
	}
	return plain(text)
}

// showTests prints the table of block tests.
func showTests(r *Report, a *audit.Report) {
	if a.Run.Blocks == 0 {
		return
	}
	r.Section("Failed blocks, profile " + a.Profile)
	r.Row(dim("  TEST"), dim("FAILED"), dim("EXPECTED"), dim("PROBABILITY"))
	for i := range a.Tests {
		t := &a.Tests[i]
		r.Row(plain("  "+t.Title), plain(fmt.Sprint(t.Failures)), plain(figureText(t.Expected)), verdictStyle(t.Verdict, tailText(t)))
	}
}

// showStatistics prints the table of pooled statistics, one line a family.
func showStatistics(r *Report, all []audit.Statistic) {
	if len(all) == 0 {
		return
	}
	r.Section("Whole stream")
	r.Row(dim("  STATISTIC"), dim("MOST EXTREME"), dim("OBSERVED"), dim("EXPECTED"), dim("PROBABILITY"), dim("OF"))
	for i := range all {
		s := &all[i]
		r.Row(plain("  "+figureTitle(s.Name)), plain(s.Where), plain(figureText(s.Observed)), plain(figureText(s.Expected)),
			verdictStyle(s.Verdict, chanceText(s.P)), plain(fmt.Sprint(s.Of)))
	}
}

// showBudget says what the verdict rests on, and what would have been seen.
func showBudget(r *Report, a *audit.Report) {
	b := &a.Budget
	text := fmt.Sprintf("%d figures share one chance of error, %s. Something as extreme as the worst of them, %s, has a probability of %s among so many.",
		b.Comparisons, chanceText(b.Alpha), figureTitle(b.By), chanceText(b.Adjusted))
	if d := a.Detectable; d != nil {
		text += fmt.Sprintf(" A bias of %.2g or a correlation of %.2g would have been seen.", d.Bias, d.Correlation)
	}
	for _, line := range wrap(text, reportWidth) {
		r.Line(line)
	}
}

// figureTitle is the name of a figure without what JSON needs.
func figureTitle(name string) string { return strings.ReplaceAll(name, "_", " ") }
