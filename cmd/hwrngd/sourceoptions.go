package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/source/command"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/tpm"
	"github.com/hwrngd/hwrngd/source/tty"
)

// singleOptions are the rows of the option table that concern one source each.
var singleOptions = []Option{
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
	{
		Name: "command", Arg: "FILE[,ARG...]", Group: groupSingle,
		Help: "program whose standard output source command reads, by its full path, and its arguments; an argument " +
			"with a comma can stand only in the file; no shell is involved",
		bind: func(c *Config) setting { return &listSetting{&c.Command, checkCommand} },
	},
	{
		Name: "command-user", Arg: "NAME", Default: command.DefaultUser, Group: groupSingle,
		Help: "user, by name or number, whom that program runs as if the daemon is root",
		bind: func(c *Config) setting { return &textSetting{&c.CommandUser, checkUser} },
	},
	{
		Name: "command-group", Arg: "NAME", Default: "off", Group: groupSingle,
		Help: "group, by name or number, for that program, such as plugdev for USB devices; off means that of its user",
		bind: func(c *Config) setting { return &fileSetting{&c.CommandGroup, checkUser} },
	},
	{
		Name: "afalg-generator", Arg: "auto|DRIVER", Default: afalg.Auto, Group: groupSingle,
		Help: "generator of the kernel crypto API that source afalg reads: auto takes a hardware engine, else the " +
			"kernel's own jitter generator, or the driver of this name in /proc/crypto",
		bind: func(c *Config) setting { return &textSetting{&c.AFALGGenerator, checkDriver} },
	},
	{
		Name: "cpu-instruction", Arg: "auto|NAME", Default: cpu.Auto, Group: groupSingle,
		Help: "instruction that source cpu executes: auto takes the best one that the CPU has, or one of " +
			strings.Join(instructionNames(), ", "),
		bind: func(c *Config) setting {
			return &textSetting{&c.CPUInstruction, oneOf(append([]string{cpu.Auto}, instructionNames()...)...)}
		},
	},
	{
		Name: "tpm-device", Arg: "FILE", Default: tpm.DefaultDevice, Group: groupSingle,
		Help: "the TPM 2.0 that source tpm asks, best its resource manager",
		bind: func(c *Config) setting { return &textSetting{&c.TPMDevice, checkText} },
	},
}

func singleNames() (names []string) {
	for _, o := range singleOptions {
		names = append(names, o.Name)
	}
	return names
}

func instructionNames() (names []string) {
	for _, i := range cpu.Instructions {
		names = append(names, i.Name)
	}
	return names
}

// needs returns the option without which a source has nothing to read, "" if there is none, and whether it
// is set.
func (c *Config) needs(name string) (option string, set bool) {
	switch name {
	case tty.Name:
		return "tty-device", c.TTYDevice != ""
	case command.Name:
		return "command", len(c.Command) > 0
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

// checkCommand accepts what can be executed: a full path and arguments of one line.
func checkCommand(argv []string) error {
	for _, word := range argv {
		if err := checkText(word); err != nil {
			return err
		}
	}
	switch {
	case len(argv) == 0:
		return nil
	case !filepath.IsAbs(argv[0]):
		return fmt.Errorf("%q is not the full path of a program, want one that starts with /", argv[0])
	case strings.ContainsFunc(argv[0], unicode.IsSpace):
		return fmt.Errorf(`%q holds blanks: give the program and each argument as a word of its own, as in ["/usr/bin/infnoise", "--raw"]`, argv[0])
	}
	return nil
}

// checkUser accepts what /etc/passwd and /etc/group can have as a name, or a number.
func checkUser(name string) error {
	if err := checkText(name); err != nil {
		return err
	}
	if name[0] == '-' || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == ':' || r == '/' }) {
		return fmt.Errorf("%q cannot be the name of a user or group", name)
	}
	return nil
}

// maxDriver is the length of salg_name in struct sockaddr_alg less the final zero (include/uapi/linux/if_alg.h).
const maxDriver = 63

// checkDriver accepts a driver's name.
func checkDriver(name string) error {
	if err := checkRNGName(name); err != nil {
		return err
	}
	if len(name) > maxDriver {
		return fmt.Errorf("%q cannot be the name of a generator, it has more than %d bytes", name, maxDriver)
	}
	return nil
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
