package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"
)

// Invocation is one call of one command: its arguments and the streams that it
// talks to. Commands use these and never os.Args, os.Getenv or os.Stdout, so
// that tests can run them in process.
type Invocation struct {
	Command *Command
	Args    []string       // positional arguments
	Flags   *pflag.FlagSet // for the options that the command has for itself
	JSON    bool           // --output=json
	Input   ConfigInput    // what LoadConfig needs, now and at every reload

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string

	sandbox       func(*Config, *slog.Logger) // what the daemon enters, nil for none
	help, version bool
}

// LoadConfig loads the configuration that flags, environment and file give.
func (inv *Invocation) LoadConfig() (*Config, error) { return LoadConfig(inv.Input) }

// parse reads the arguments of the command.
func (inv *Invocation) parse(args []string) error {
	inv.Input = ConfigInput{Environ: inv.Environ, Flags: map[string][]string{}}
	inv.Flags = inv.Command.flagSet(inv)
	if err := inv.singleDash(args); err != nil {
		return err
	}
	if err := inv.Flags.Parse(args); err != nil {
		return inv.flagError(err)
	}
	if inv.help || inv.version {
		return nil // whoever asks for help need not have got the rest right
	}
	inv.Args = inv.Flags.Args()
	if limit := inv.Command.Max; limit >= 0 && len(inv.Args) > limit {
		extra := inv.Args[limit]
		hint := fmt.Sprintf("'hwrngd help %s' shows its usage", inv.Command.Name)
		if _, err := findCommand(extra); err == nil {
			hint = fmt.Sprintf("the command comes first: hwrngd %s [OPTION...]", extra)
		}
		return exitErrorf(exitUsage, hint, "unexpected argument %q", extra)
	}
	return nil
}

// singleDash refuses -config for --config, which would otherwise be taken as
// -c with the value "onfig". Many Go programs have options of that form.
func (inv *Invocation) singleDash(args []string) error {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		name, single := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if single && len(name) > 1 && inv.Flags.Lookup(name) != nil {
			return exitErrorf(exitUsage, "long options have two dashes: --"+name, "unknown option %q of 'hwrngd %s'", "-"+name, inv.Command.Name)
		}
	}
	return nil
}

// flagSet returns the flags that the command takes. The daemon's options are
// only collected here, as text; LoadConfig checks them together with the same
// options from file and environment.
func (c *Command) flagSet(inv *Invocation) *pflag.FlagSet {
	set := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	set.SortFlags = false
	for i := range options {
		o := &options[i]
		if !o.takenBy(c) {
			continue
		}
		flag := set.VarPF(&flagWords{option: o, flags: inv.Input.Flags}, o.Name, o.Short, o.Help)
		flag.Hidden = o.Hidden
		if o.kind() == kindBool {
			flag.NoOptDefVal = "true"
		}
	}
	if c.Flags != nil {
		c.Flags(set)
	}
	if c.Reports {
		set.VarP((*outputFlag)(&inv.JSON), "output", "o", "`text|json`: output for people or for programs")
	}
	set.BoolVarP(&inv.help, "help", "h", false, "show this help")
	set.BoolVarP(&inv.version, "version", "V", false, "show the version")
	return set
}

// flagWords collects the text of one daemon option from the command line.
type flagWords struct {
	option *Option
	flags  map[string][]string
}

// Set keeps the last value of a single-valued option, and all of a list.
func (f *flagWords) Set(text string) error {
	words := f.option.split(text)
	if f.option.isList() {
		words = append(f.flags[f.option.Name], words...)
	}
	f.flags[f.option.Name] = words
	return nil
}

func (f *flagWords) String() string { return "" }
func (f *flagWords) Type() string   { return f.option.Arg }

// outputFlag is the value of --output.
type outputFlag bool

// Set accepts the two formats.
func (f *outputFlag) Set(text string) error {
	if text != "text" && text != "json" {
		return errors.New("must be text or json")
	}
	*f = text == "json"
	return nil
}

func (f *outputFlag) String() string { return "text" }
func (f *outputFlag) Type() string   { return "text|json" }

// flagError puts the flag library's errors into our words and adds a hint.
func (inv *Invocation) flagError(err error) error {
	hint := fmt.Sprintf("'hwrngd help %s' lists the options", inv.Command.Name)
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		given, name := "--"+unknown.GetSpecifiedName(), unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			given, name = "-"+short, short
		}
		if near := nearest(name, flagNames(inv.Flags)); near != "" {
			hint = fmt.Sprintf("did you mean --%s? %s", near, hint)
		}
		return exitErrorf(exitUsage, hint, "unknown option %q of 'hwrngd %s'", given, inv.Command.Name)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		flag := missing.GetFlag()
		return exitErrorf(exitUsage, hint, "--%s: needs a value, write --%[1]s=%[2]s", flag.Name, flagArg(flag))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return exitErrorf(exitUsage, hint, "--%s: %w, not %q", invalid.GetFlag().Name, invalid.Unwrap(), invalid.GetValue())
	}
	return exitErrorf(exitUsage, hint, "%w", err)
}

// flagNames lists the options that help shows.
func flagNames(set *pflag.FlagSet) []string {
	var names []string
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
