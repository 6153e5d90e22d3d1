//go:build !minimal

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// manPage is one page of the manual.
type manPage struct {
	name    string // such as hwrngd-list
	section int    // 1 commands, 5 files, 8 administration
	short   string
	body    func(*roff)
}

// manPages returns hwrngd(8) with the daemon, a page for each further command and one for the
// configuration file.
func manPages() []manPage {
	table := commands()
	pages := []manPage{
		{"hwrngd", 8, "test hardware random number generators and credit the kernel", func(r *roff) { daemonPage(r, table) }},
		{"hwrngd.toml", 5, "configuration file of hwrngd", configPage},
	}
	for i := range table {
		if c := &table[i]; c.hasPage() {
			pages = append(pages, manPage{"hwrngd-" + c.Name, 1, c.Short, func(r *roff) { commandPage(r, c) }})
		}
	}
	return pages
}

// hasPage tells whether a command has a page of its own. The daemon is the subject of hwrngd(8), which
// also says all there is to say of help and version.
func (c *Command) hasPage() bool {
	return !c.Hidden && !slices.Contains([]string{"run", "help", "version"}, c.Name)
}

func (p *manPage) file() string { return fmt.Sprintf("%s.%d", p.name, p.section) }

// roff is the page as its source text.
func (p *manPage) roff(date, version string) string {
	r := &roff{}
	manual := map[int]string{1: "User Commands", 5: "File Formats", 8: "System Administration"}[p.section]
	fmt.Fprintf(&r.b, ".TH %s %d %s %q %q\n.nh\n", strings.ToUpper(p.name), p.section, date, "hwrngd "+version, manual)
	r.section("Name")
	fmt.Fprintf(&r.b, "%s \\- %s\n", p.name, roffText(p.short))
	p.body(r)
	r.section("See also")
	var others []string
	for _, other := range manPages() {
		if other.name != p.name {
			others = append(others, fmt.Sprintf("\\fB%s\\fR(%d)", other.name, other.section))
		}
	}
	slices.Sort(others)
	r.b.WriteString(strings.Join(others, ",\n") + "\n")
	return r.b.String()
}

func daemonPage(r *roff, table []Command) {
	run := &table[slices.IndexFunc(table, func(c Command) bool { return c.Name == "run" })]
	r.section("Synopsis")
	r.b.WriteString(roffTerm("hwrngd [run] [OPTION...]") + "\n.br\n" + roffTerm("hwrngd COMMAND [OPTION...] [ARGUMENT...]") + "\n")
	r.section("Description")
	r.text(overviewText())
	r.b.WriteString(".PP\n")
	r.text(run.Long)
	r.section("Commands")
	for i := range table {
		c := &table[i]
		if c.Hidden {
			continue
		}
		text := c.Short
		if c.hasPage() {
			text += "; see hwrngd-" + c.Name + "(1)"
		}
		r.entry(c.Name+" "+c.Args, text)
	}
	r.options(run)
	r.section("Where options are set")
	r.text(optionRule())
	r.exits(run)
	r.section("Files")
	r.entry(defaultConfigFile, "the configuration, see hwrngd.toml(5)")
	for _, name := range []string{"runtime-dir", "random-device", "hwrng-device"} {
		o := optionByName(name)
		r.entry(o.Default, o.Help)
	}
	r.entry(optionByName("sysfs").Default+"/class/misc/hw_random/", "the kernel's hardware generators, and which one is current")
}

func commandPage(r *roff, c *Command) {
	r.section("Synopsis")
	r.b.WriteString(roffTerm(strings.TrimSpace("hwrngd "+c.Name+" [OPTION...] "+c.Args)) + "\n")
	r.section("Description")
	r.text(c.Long)
	r.options(c)
	if len(c.Groups) > 0 {
		r.section("Where options are set")
		r.text(optionRule())
	}
	r.exits(c)
}

func configPage(r *roff) {
	r.section("Description")
	r.text(defaultConfigFile + ` holds the options of hwrngd in TOML, one key a line. Every key is also an option of
the command line and, in capitals, a variable. A key that is not known is an error.

'hwrngd check' tests the file, 'hwrngd check --print' shows the value of every key and where it
comes from. The daemon reads the file again on SIGHUP; an invalid one is refused, and the values
from before stay.`)
	r.section("Keys")
	for _, g := range groupOrder {
		r.subsection(string(g))
		for i := range options {
			o := &options[i]
			if o.Group != g || o.Hidden || o.NotInFile {
				continue
			}
			r.entry(o.Name+" = "+o.tomlForm(), o.Help+" (variable "+o.envName()+")")
		}
	}
	r.section("Precedence")
	r.text(optionRule())
	r.section("Example")
	r.text("  hwrng-select = \"tpm-rng-0\"\n  refill-interval = \"30s\"\n  entropy = { hwrng = 2.0 }")
	r.section("Files")
	r.entry(defaultConfigFile, "the only file that is read unless --config names another")
}

// tomlForm is the default of an option as the file would have it.
func (o *Option) tomlForm() string {
	words := []string{}
	if o.Default != "" {
		words = o.split(o.Default)
	}
	return tomlText(o.kind(), words)
}

// options writes what a command takes: the daemon's options by group, then its own.
func (r *roff) options(c *Command) {
	r.section("Options")
	for _, g := range groupOrder {
		if !slices.Contains(c.Groups, g) {
			continue
		}
		r.subsection(string(g))
		for i := range options {
			if o := &options[i]; o.Group == g && !o.Hidden {
				r.entry(flagTerm(o.Short, o.Name, o.Arg), o.helpText())
			}
		}
	}
	if len(c.Groups) > 0 {
		r.subsection("Other options")
	}
	c.flagSet(&Invocation{}).VisitAll(func(f *pflag.Flag) {
		if optionByName(f.Name) == nil && !f.Hidden {
			arg, text := pflag.UnquoteUsage(f)
			r.entry(flagTerm(f.Shorthand, f.Name, arg), strings.TrimPrefix(text, arg+": "))
		}
	})
}

// exits writes the exit codes of a command.
func (r *roff) exits(c *Command) {
	r.section("Exit status")
	for _, e := range exitMeanings {
		if slices.Contains(append([]int{exitOK, exitUsage}, c.Exits...), e.code) {
			r.entry(fmt.Sprint(e.code), e.meaning)
		}
	}
}

// overviewText is the paragraph in which 'hwrngd help' says what hwrngd is.
func overviewText() string { return strings.Split(overview(), "\n\n")[1] }

// optionRule is what help says of the places that an option can be set in.
func optionRule() string {
	var b strings.Builder
	writeOptionRule(&b)
	return b.String()
}
