package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// The rules of the terminal interface: data go to standard output, talk to
// standard error. A document is written in one piece, so that a reader never
// sees half of one followed by an error. Colour is for people only, and never
// the only carrier of a meaning.

// write sends a whole document to standard output.
func (inv *Invocation) write(document []byte) error {
	_, err := inv.Stdout.Write(document)
	if err == nil {
		return nil
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // the path is always /dev/stdout, which is not where the output goes
	}
	return exitErrorf(exitIO, "", "cannot write to standard output: %w", err)
}

// WriteJSON prints one indented JSON document.
func (inv *Invocation) WriteJSON(v any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // nobody puts this into a web page, and <, > and & should stay readable
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return exitErrorf(exitOS, "", "cannot express the result as JSON: %w", err)
	}
	return inv.write(b.Bytes())
}

// WriteReport prints a report for people.
func (inv *Invocation) WriteReport(r *Report) error {
	r.align()
	return inv.write(r.text.Bytes())
}

// Report collects text for people: headings, lines, and rows whose cells are
// aligned with those of the rows around them. text/tabwriter cannot do this,
// because it counts colour codes as letters.
type Report struct {
	text  bytes.Buffer
	rows  [][]Cell // not written yet
	color bool
}

// NewReport starts a report for standard output, coloured if that is a
// terminal.
func (inv *Invocation) NewReport() *Report {
	return &Report{color: useColor(inv.Stdout, inv.Environ)}
}

// Cell is a piece of a row.
type Cell struct{ text, style string }

// ANSI codes of the styles.
const (
	styleBold   = "1"
	styleDim    = "2"
	styleRed    = "31"
	styleGreen  = "32"
	styleYellow = "33"
)

func plain(text string) Cell { return Cell{text, ""} }
func dim(text string) Cell   { return Cell{text, styleDim} }
func good(text string) Cell  { return Cell{text, styleGreen} }
func warn(text string) Cell  { return Cell{text, styleYellow} }
func bad(text string) Cell   { return Cell{text, styleRed} }

// Section starts a part of the report with a heading.
func (r *Report) Section(title string) {
	r.align()
	if r.text.Len() > 0 {
		r.text.WriteString("\n")
	}
	r.text.WriteString(r.paint(Cell{title, styleBold}) + "\n")
}

// Line adds a line that takes no part in the alignment.
func (r *Report) Line(text string) {
	r.align()
	r.text.WriteString(escapeControls(text) + "\n")
}

// Row adds a row. Rows without a heading or line between them share columns.
func (r *Report) Row(cells ...Cell) { r.rows = append(r.rows, cells) }

// align writes the pending rows.
func (r *Report) align() {
	var widths []int
	for _, row := range r.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cell.width())
		}
	}
	for _, row := range r.rows {
		last := len(row) - 1
		for last > 0 && row[last].text == "" {
			last-- // no blanks at the end of a line
		}
		for i, cell := range row[:last+1] {
			r.text.WriteString(r.paint(cell))
			if i < last {
				r.text.WriteString(strings.Repeat(" ", widths[i]-cell.width()+2))
			}
		}
		r.text.WriteString("\n")
	}
	r.rows = nil
}

func (c Cell) width() int { return utf8.RuneCountInString(escapeControls(c.text)) }

// paint returns the text of a cell as it is to be written.
func (r *Report) paint(c Cell) string {
	text := escapeControls(c.text)
	if !r.color || c.style == "" || text == "" {
		return text
	}
	return colored(text, c.style)
}

// colored puts ANSI codes around a text.
func colored(text, style string) string { return "\x1b[" + style + "m" + text + "\x1b[0m" }
