//go:build !minimal

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/source/command"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/tpm"
)

// fullOptions are the rows of the option table for the sources that only the full build has.
var fullOptions = []Option{
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

func instructionNames() (names []string) {
	for _, i := range cpu.Instructions {
		names = append(names, i.Name)
	}
	return names
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
