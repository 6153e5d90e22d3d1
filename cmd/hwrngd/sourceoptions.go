package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/tty"
)

// singleOptions are the rows of the option table that concern one source each.
var singleOptions = append([]Option{
	{
		Name: "tty-device", Arg: "FILE", Default: "off", Group: groupSingle,
		Help: "the serial line or USB device that source tty reads, best by its link below /dev/serial/by-id; or off",
		bind: func(c *Config) setting { return &fileSetting{&c.TTYDevice, checkAbsolute} },
	},
	{
		Name: "tty-speed", Arg: "keep|BITS", Default: "keep", Group: groupSingle,
		Help: "speed of that line in bits a second, such as 115200, or keep; USB devices do not care",
		bind: func(c *Config) setting { return &speedSetting{&c.TTYSpeed} },
	},
	{
		Name: "tty-modem", Arg: strings.Join(tty.ModemChoices(), "|"), Default: tty.ModemChoices()[0], Group: groupSingle,
		Help: "what to do with the line's DTR and RTS: raise them, lower them for boards that they reset, or keep them as the driver leaves them",
		bind: func(c *Config) setting { return &textSetting{&c.TTYModem, oneOf(tty.ModemChoices()...)} },
	},
	{
		Name: "tty-init", Arg: "off|TEXT", Default: "off", Group: groupSingle,
		Help: `what is sent to that device after each open, for those that give nothing unasked, with \n, \r, \x1b and ` +
			`\\ for such bytes: cmdO\n for OneRNG; or off`,
		bind: func(c *Config) setting { return &initSetting{&c.TTYInit} },
	},
}, fullOptions...)

func singleNames() (names []string) {
	for _, o := range singleOptions {
		names = append(names, o.Name)
	}
	return names
}

// needs returns the option without which a source has nothing to read, "" if there is none, and whether it
// is set.
func (c *Config) needs(name string) (option string, set bool) {
	for _, k := range sourceKinds {
		if k.name == name && k.needs != "" {
			return k.needs, k.auto(c)
		}
	}
	return "", true
}

// unconfigured finds sources that are named and lack what only the user can say, and warns of what is
// said in vain.
func (c *Config) unconfigured() (found problems) {
	wanted := wantedSources(c)
	for _, name := range wanted {
		if option, set := c.needs(name); !set {
			found = append(found, fmt.Errorf("sources (%s) names %s, but %s does not say what to read", c.Origin("sources"), name, option))
		}
	}
	for i := range singleOptions {
		o := &singleOptions[i]
		source, _, _ := strings.Cut(o.Name, "-")
		if !slices.Contains(wanted, source) && !slices.Equal(o.bind(c).words(), o.split(o.Default)) {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s (%s) has no effect: source %s is not among the sources (%s: %s)",
				o.Name, c.Origin(o.Name), source, c.Origin("sources"), strings.Join(c.Sources, " ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.FailureRate)) {
		if name != hwrng.Name {
			c.Warnings = append(c.Warnings, fmt.Sprintf("failure-rate (%s) of source %s has no effect: only hwrng takes one", c.Origin("failure-rate"), name))
		}
	}
	if c.CommandUser == "root" || c.CommandUser == "0" {
		c.Warnings = append(c.Warnings, fmt.Sprintf("command-user (%s) gives the program every right of root", c.Origin("command-user")))
	}
	return found
}

// speedSetting is the speed of a line; "keep" is 0.
type speedSetting struct{ field *int }

func (s *speedSetting) kind() kind { return kindText }

func (s *speedSetting) words() []string {
	if *s.field == 0 {
		return []string{"keep"}
	}
	return []string{strconv.Itoa(*s.field)}
}

func (s *speedSetting) set(words []string) error {
	if words[0] == "keep" {
		*s.field = 0
		return nil
	}
	speed, err := strconv.Atoi(words[0])
	if err != nil || !slices.Contains(tty.Speeds(), speed) {
		var known []string
		for _, speed := range tty.Speeds() {
			known = append(known, strconv.Itoa(speed))
		}
		return fmt.Errorf(`%q is not a speed of a line, want "keep" or one of %s`, words[0], strings.Join(known, ", "))
	}
	*s.field = speed
	return nil
}

// maxInit is more than any device wants to hear, in bytes.
const maxInit = 256

// initSetting is a text with escapes for bytes that are no text; "off" is the empty one.
type initSetting struct{ field *string }

func (s *initSetting) kind() kind { return kindText }

func (s *initSetting) words() []string {
	if *s.field == "" {
		return []string{"off"}
	}
	quoted := strconv.Quote(*s.field)
	return []string{strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)}
}

func (s *initSetting) set(words []string) error {
	if words[0] == "off" {
		*s.field = ""
		return nil
	}
	var sent []byte
	for text := words[0]; text != ""; {
		r, isRune, tail, err := strconv.UnquoteChar(text, 0)
		if err != nil {
			return fmt.Errorf(`%q has a \ that begins no byte, want \n, \r, \t, \x and two hexadecimal digits, or \\`, words[0])
		}
		if isRune {
			sent = utf8.AppendRune(sent, r)
		} else {
			sent = append(sent, byte(r))
		}
		text = tail
	}
	switch {
	case len(sent) == 0:
		return errors.New(`must not be empty, want what the device is to be sent, or "off"`)
	case len(sent) > maxInit:
		return fmt.Errorf("has %d bytes, at most %d can be sent", len(sent), maxInit)
	}
	*s.field = string(sent)
	return nil
}
