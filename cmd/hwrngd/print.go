package main

import (
	"strconv"
	"strings"
)

// printedOption is one line of check --print.
type printedOption struct {
	Name   string `json:"name"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// shown lists the options worth printing: all but hidden ones that nobody set.
func (c *Config) shown() []*Option {
	var list []*Option
	for i := range options {
		if o := &options[i]; !o.Hidden || c.Origin(o.Name) != originDefault {
			list = append(list, o)
		}
	}
	return list
}

// printedOptions is the configuration for programs.
func (c *Config) printedOptions() []printedOption {
	var list []printedOption
	for _, o := range c.shown() {
		words := o.bind(c).words()
		var value any = words
		switch o.kind() {
		case kindBool:
			value = words[0] == "true"
		case kindTable:
			value = *o.bind(c).(*tableSetting).field
		case kindText, kindDuration:
			value = words[0]
		}
		list = append(list, printedOption{o.Name, value, c.Origin(o.Name)})
	}
	return list
}

// print writes the configuration as a TOML file, each value with its origin as
// a comment, so that it can serve as the start of a file of one's own.
func (c *Config) print(r *Report) {
	r.Line("# " + c.fileText())
	for _, o := range c.shown() {
		if o.NotInFile {
			continue
		}
		r.Row(plain(o.Name), plain("= "+tomlText(o.kind(), o.bind(c).words())), dim("# "+c.Origin(o.Name)))
	}
}

// fileText says which configuration file was read.
func (c *Config) fileText() string {
	text := "configuration file " + c.ConfigFile
	if !c.ConfigFound {
		return text + " does not exist, defaults apply"
	}
	return text + " (" + c.Origin("config") + ")"
}

// tomlText writes the words of a setting as a TOML value. Go's quoting is
// TOML's as long as there are no control characters, and checkText sees to that.
func tomlText(k kind, words []string) string {
	switch k {
	case kindBool:
		return words[0]
	case kindText, kindDuration:
		return strconv.Quote(words[0])
	case kindTable:
		if len(words) == 0 {
			return "{}"
		}
		return "{ " + strings.ReplaceAll(strings.Join(words, ", "), "=", " = ") + " }"
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
