//go:build !minimal

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// fishCompletion writes the script for fish.
func fishCompletion(b *bytes.Buffer, table []completedCommand) {
	b.WriteString("# fish completion of hwrngd, made by 'hwrngd completion fish'\n\ncomplete -c hwrngd -f\n")
	var others []string
	for _, c := range table {
		if c.name != "run" {
			others = append(others, c.name)
		}
		fmt.Fprintf(b, "complete -c hwrngd -n __fish_use_subcommand -a %s -d '%s'\n", c.name, fishQuote(c.short))
	}
	for _, c := range table {
		condition := "__fish_seen_subcommand_from " + c.name
		if c.name == "run" {
			condition = "not __fish_seen_subcommand_from " + strings.Join(others, " ")
		}
		for _, f := range c.flags {
			fmt.Fprintf(b, "complete -c hwrngd -n '%s' -l %s", condition, f.long)
			if f.short != "" {
				b.WriteString(" -s " + f.short)
			}
			if f.takes() {
				b.WriteString(fishValues(f.values))
			}
			fmt.Fprintf(b, " -d '%s'\n", fishQuote(f.help))
		}
		if values := fishValues(c.values); values != " -x" {
			fmt.Fprintf(b, "complete -c hwrngd -n '%s'%s\n", condition, strings.TrimPrefix(strings.Replace(values, " -r", "", 1), " -x"))
		}
	}
}

// fishValues says what the value of an option may be: -x for a word, -r with -F for a file.
func fishValues(v completedValues) string {
	switch words := strings.Join(v.words, " "); {
	case v.dirs:
		return " -x -a '(__fish_complete_directories)'"
	case v.files && words != "":
		return " -r -F -a '" + words + "'"
	case v.files:
		return " -r -F"
	case words != "":
		return " -x -a '" + words + "'"
	}
	return " -x"
}

func fishQuote(text string) string { return strings.ReplaceAll(text, "'", `\'`) }
