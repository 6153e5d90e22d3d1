//go:build !minimal

package main

import (
	"fmt"
	"strings"
)

// roff writes a man page in the macros of man(7), those that both groff and mandoc know.
type roff struct{ b strings.Builder }

// section begins a section, subsection a part of it.
func (r *roff) section(title string)    { fmt.Fprintf(&r.b, ".SH %s\n", roffText(strings.ToUpper(title))) }
func (r *roff) subsection(title string) { fmt.Fprintf(&r.b, ".SS %s\n", roffText(title)) }

// entry writes a term and its explanation. In the term, words in capitals and what stands between
// bars with them are for the reader to replace.
func (r *roff) entry(term, text string) {
	fmt.Fprintf(&r.b, ".TP\n%s\n%s\n", roffTerm(term), roffText(text))
}

// text writes running text, whose paragraphs an empty line parts. Indented lines are examples, which
// keep their breaks.
func (r *roff) text(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			r.b.WriteString(".PP\n")
		}
		if !strings.HasPrefix(paragraph, "  ") {
			r.b.WriteString(roffText(paragraph) + "\n")
			continue
		}
		r.b.WriteString(".RS 4\n.nf\n")
		for line := range strings.Lines(paragraph) {
			r.b.WriteString(roffLine(roffEscape(strings.TrimSpace(line), true)) + "\n")
		}
		r.b.WriteString(".fi\n.RE\n")
	}
}

// roffWidth keeps source lines within 80 columns, with room for what roffEscape adds.
const roffWidth = 66

// roffText is running text, which the formatter breaks anew.
func roffText(text string) string {
	lines := wrap(text, roffWidth)
	for i, line := range lines {
		words := strings.Fields(line)
		for j, word := range words {
			words[j] = roffEscape(word, isLiteral(word))
		}
		lines[i] = roffLine(strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

// isLiteral tells whether a word is something to type, whose hyphens must not become dashes of print.
func isLiteral(word string) bool {
	return strings.HasPrefix(strings.TrimLeft(word, "'(["), "-") || strings.ContainsAny(word, "/=_:")
}

// roffTerm sets a term such as "-c, --config FILE": bold to type, italic to replace.
func roffTerm(term string) string {
	words := strings.Fields(term)
	for i, word := range words {
		words[i] = roffWord(word)
	}
	return roffLine(strings.Join(words, " "))
}

// roffWord sets a word of a term. Of "keep|best|NAME" and "[SOURCE...]" only the capitals are
// italic.
func roffWord(word string) string {
	var b strings.Builder
	font := ""
	for part := word; part != ""; {
		n := strings.IndexFunc(part[1:], func(r rune) bool { return isPlaceholder(r) != isPlaceholder(rune(part[0])) }) + 1
		if n == 0 {
			n = len(part)
		}
		want := `\fB`
		switch {
		case len(part[:n]) > 1 && isPlaceholder(rune(part[0])) && !strings.HasPrefix(word, "-"):
			want = `\fI`
		case strings.Trim(part[:n], "|[].=,") == "":
			want = `\fR`
		}
		if want != font {
			b.WriteString(want)
			font = want
		}
		b.WriteString(roffEscape(part[:n], true))
		part = part[n:]
	}
	return b.String() + `\fR`
}

func isPlaceholder(r rune) bool { return r >= 'A' && r <= 'Z' }

// roffEscape takes their meaning from the formatter's special characters. In what is literal a
// hyphen stays one.
func roffEscape(text string, literal bool) string {
	pairs := []string{`\`, `\e`, "'", `\(aq`, "`", `\(ga`, "~", `\(ti`, "^", `\(ha`}
	if literal {
		pairs = append(pairs, "-", `\-`)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// roffLine keeps a line of text from being taken for a request.
func roffLine(line string) string {
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
