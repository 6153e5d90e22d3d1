package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// isTerminal tells whether somebody may be watching the stream.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// useColor follows https://no-color.org and the TERM that editors and serial
// consoles set.
func useColor(w io.Writer, environ []string) bool {
	if _, forbidden := lookupEnv(environ, "NO_COLOR"); forbidden {
		return false
	}
	if kind, _ := lookupEnv(environ, "TERM"); kind == "dumb" {
		return false
	}
	return isTerminal(w)
}

// escapeControls makes a text safe to print on one line: names that come from
// sysfs, files and devices must neither break a line nor command the terminal.
func escapeControls(text string) string {
	if !strings.ContainsFunc(text, isUnsafe) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isUnsafe(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isUnsafe covers control characters, the invisible ones that change the
// direction of writing, and what was not UTF-8.
func isUnsafe(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
