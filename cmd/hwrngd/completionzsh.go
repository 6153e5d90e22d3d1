//go:build !minimal

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// zshCompletion writes the script for zsh.
func zshCompletion(b *bytes.Buffer, table []completedCommand) {
	b.WriteString("#compdef hwrngd\n# zsh completion of hwrngd, made by 'hwrngd completion zsh'\n\n_hwrngd() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, c := range table {
		fmt.Fprintf(b, "\t\t'%s:%s'\n", c.name, zshQuote(c.short))
	}
	b.WriteString(`	)
	if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
		_describe command commands
		return
	fi
	local command=run
	if [[ $words[2] != -* ]]; then
		command=$words[2]
		shift words
		((CURRENT--))
	fi
	case $command in
`)
	for _, c := range table {
		fmt.Fprintf(b, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.flags {
			names := "--" + f.long
			if f.takes() {
				names += "="
			}
			if f.short != "" && f.takes() {
				names = "'{-" + f.short + "+," + names + "}'"
			} else if f.short != "" {
				names = "'{-" + f.short + "," + names + "}'"
			}
			value := ""
			if f.takes() {
				value = ":" + zshQuote(f.arg) + ":" + zshAction(f.values)
			}
			fmt.Fprintf(b, " \\\n\t\t\t'%s[%s]%s'", names, zshQuote(f.help), value)
		}
		if action := zshAction(c.values); action != " " {
			fmt.Fprintf(b, " \\\n\t\t\t'*:argument:%s'", action)
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\n\n_hwrngd \"$@\"\n")
}

// zshAction completes a value; a blank offers nothing.
func zshAction(v completedValues) string {
	words := strings.Join(v.words, " ")
	switch {
	case v.files && words != "":
		return `{_alternative "words:word:(` + words + `)" "files:file:_files"}`
	case v.files:
		return "_files"
	case v.dirs:
		return "_files -/"
	case words != "":
		return "(" + words + ")"
	}
	return " "
}

// zshQuote hides what has a meaning inside a specification of _arguments.
func zshQuote(text string) string {
	return strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}
