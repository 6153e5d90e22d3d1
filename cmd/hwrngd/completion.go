//go:build !minimal

package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// completedCommand is what a completion script knows of a command.
type completedCommand struct {
	name, short string
	flags       []completedFlag
	values      completedValues // of its positional arguments
}

type completedFlag struct {
	long, short, help string
	arg               string // what stands for the value; empty for a switch
	values            completedValues
}

// completedValues says what may stand for a value: some words, files, directories, or what cannot be
// told.
type completedValues struct {
	words       []string
	files, dirs bool
}

// completedCommands is the command table as completion sees it.
func completedCommands() (all []completedCommand) {
	var names []string
	for _, c := range commands() {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	for _, c := range commands() {
		if c.Hidden {
			continue
		}
		done := completedCommand{name: c.Name, short: c.Short, values: valuesOf("", c.Args)}
		if strings.Contains(c.Args, "COMMAND") {
			done.values.words = names
		}
		c.flagSet(&Invocation{}).VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			arg, help := pflag.UnquoteUsage(f)
			done.flags = append(done.flags, completedFlag{
				long: f.Name, short: f.Shorthand, arg: arg, values: valuesOf(f.Name, arg),
				help: firstClause(strings.TrimPrefix(help, arg+": ")),
			})
		})
		all = append(all, done)
	}
	return all
}

// valuesOf tells the possible values from what stands for them in help: words in small letters are
// meant as they are.
func valuesOf(name, arg string) (v completedValues) {
	v.words = optionWords()[name]
	for _, part := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune("|[] ", r) }) {
		switch part = strings.TrimSuffix(part, "..."); {
		case part == "FILE" || part == "DEVICE":
			v.files = true
		case part == "DIR":
			v.dirs = true
		case part == "SOURCE":
			v.words = append(v.words, sourceNames()...)
		case part == strings.ToLower(part) && part != "-" && !strings.ContainsAny(part, "."):
			v.words = append(v.words, part)
		}
	}
	return v
}

// optionWords are the values of the options whose placeholder does not list them. A test puts each
// through the option's own check.
func optionWords() map[string][]string {
	return map[string][]string{
		"sources":        append([]string{"auto"}, sourceNames()...),
		"metrics-listen": {"off"},
		"log-level":      {"debug", "info", "warn", "error"},
		"log-format":     {"auto", "console", "json", "journal", "procd"},
	}
}

// firstClause is as much of a help text as fits beside an option.
func firstClause(text string) string {
	if i := strings.IndexAny(text, ";:("); i > 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// takes tells whether the flag has a value of its own.
func (f *completedFlag) takes() bool { return f.arg != "" }
