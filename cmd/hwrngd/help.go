package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Help texts fit a terminal of 80 columns. Explanations start at a column that
// most of the terms before them leave free.
const (
	helpWidth     = 80
	commandColumn = 19
	optionColumn  = 28
)

// cmdHelp explains one command, or gives the overview.
func cmdHelp(_ context.Context, inv *Invocation) int {
	if len(inv.Args) == 0 {
		return inv.exit(inv.write([]byte(overview())))
	}
	cmd, err := findCommand(inv.Args[0])
	if err != nil {
		return inv.Fail(err)
	}
	return inv.exit(inv.write([]byte(commandHelp(cmd))))
}

// overview is the text of hwrngd help.
func overview() string {
	var b strings.Builder
	b.WriteString("Usage: hwrngd [COMMAND] [OPTION...]\n\n")
	writeParagraphs(&b, `hwrngd reads hardware random number generators, tests what they deliver, and
credits the kernel's random pool with what passed. Without a command it runs the daemon.`)
	if minimal {
		b.WriteString("\n")
		writeParagraphs(&b, `This is the minimal build, for small devices. It has no audit and no assess, of the sources
only `+strings.Join(sourceNames(), ", ")+`, and for the metrics no TLS, no passwords and no page for people.`)
	}
	b.WriteString("\nCommands:\n")
	for _, c := range commands() {
		if !c.Hidden {
			writeEntry(&b, commandColumn, "  "+strings.TrimSpace(c.Name+" "+c.Args), c.Short)
		}
	}
	b.WriteString("\n")
	writeParagraphs(&b, `'hwrngd help COMMAND' explains a command and its options. 'hwrngd --version' shows
the version.`)
	b.WriteString("\n")
	writeOptionRule(&b)
	var all []int
	for _, e := range exitMeanings {
		all = append(all, e.code)
	}
	writeExits(&b, all)
	return b.String()
}

// commandHelp is the text of hwrngd COMMAND --help.
func commandHelp(c *Command) string {
	var b strings.Builder
	usage := "hwrngd " + c.Name
	if c.Name == "run" {
		usage = "hwrngd [run]"
	}
	fmt.Fprintf(&b, "Usage: %s [OPTION...]", usage)
	if c.Args != "" {
		b.WriteString(" " + c.Args)
	}
	b.WriteString("\n\n")
	writeParagraphs(&b, c.Long)
	for _, g := range groupOrder {
		if !slices.Contains(c.Groups, g) {
			continue
		}
		b.WriteString("\n" + string(g) + ":\n")
		for i := range options {
			if o := &options[i]; o.Group == g && !o.Hidden {
				writeEntry(&b, optionColumn, flagTerm(o.Short, o.Name, o.Arg), o.helpText())
			}
		}
	}
	b.WriteString("\nOther options:\n")
	c.flagSet(&Invocation{}).VisitAll(func(f *pflag.Flag) {
		if optionByName(f.Name) == nil && !f.Hidden {
			arg, text := pflag.UnquoteUsage(f)
			writeEntry(&b, optionColumn, flagTerm(f.Shorthand, f.Name, arg), strings.TrimPrefix(text, arg+": "))
		}
	})
	b.WriteString("\n")
	if len(c.Groups) > 0 {
		writeOptionRule(&b)
	}
	writeExits(&b, append([]int{exitOK, exitUsage}, c.Exits...))
	return b.String()
}

// helpText is the help of an option with its default.
func (o *Option) helpText() string {
	if o.Default == "" || o.Default == "false" {
		return o.Help
	}
	return o.Help + " (default " + o.Default + ")"
}

// flagTerm is an option as the left column shows it.
func flagTerm(short, name, arg string) string {
	term := "      --" + name
	if short != "" {
		term = "  -" + short + ", --" + name
	}
	if arg != "" {
		term += " " + arg
	}
	return term
}

// flagArg is what stands for the value of a flag in usage texts.
func flagArg(f *pflag.Flag) string {
	arg, _ := pflag.UnquoteUsage(f)
	return arg
}

// writeOptionRule explains the four places that an option can be set in.
func writeOptionRule(b *strings.Builder) {
	writeParagraphs(b, `An option can be set in three places. A flag wins over the environment, the
environment over the configuration file, and the file over the default; lists are
replaced, not added to. The name is the same everywhere, for example:`)
	o := optionByName("refill-interval")
	b.WriteString("\n")
	fmt.Fprintf(b, "  flag         --%s=30s\n", o.Name)
	fmt.Fprintf(b, "  environment  %s=30s\n", o.envName())
	fmt.Fprintf(b, "  file         %s = \"30s\"   (TOML, %s)\n", o.Name, defaultConfigFile)
	b.WriteString("\n")
	writeParagraphs(b, `Lists are separated by commas in flags and in the environment. The option config
cannot be in the file, and what help lists as "Other options" are flags only.`)
	b.WriteString("\n")
}

// writeExits lists exit codes.
func writeExits(b *strings.Builder, codes []int) {
	b.WriteString("Exit codes:\n")
	for _, e := range exitMeanings {
		if slices.Contains(codes, e.code) {
			fmt.Fprintf(b, "  %2d  %s\n", e.code, e.meaning)
		}
	}
}

// writeEntry writes a term and, from the given column on, its explanation.
func writeEntry(b *strings.Builder, column int, term, text string) {
	b.WriteString(term)
	at := len(term)
	if at > column-2 {
		b.WriteString("\n")
		at = 0
	}
	for _, line := range wrap(text, helpWidth-column) {
		fmt.Fprintf(b, "%*s%s\n", column-at, "", line)
		at = 0
	}
}

// writeParagraphs writes running text, whose paragraphs an empty line parts.
func writeParagraphs(b *strings.Builder, text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, line := range wrap(paragraph, helpWidth) {
			b.WriteString(line + "\n")
		}
	}
}

// wrap breaks a text between words into lines of at most width columns.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
