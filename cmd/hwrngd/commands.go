package main

import (
	"context"
	"strings"

	"github.com/spf13/pflag"
)

// Command is one row of the command table. Dispatch, help, man pages and shell
// completions are all made from it.
type Command struct {
	Name  string
	Args  string // positional arguments as the usage line shows them
	Max   int    // how many of them at most, -1 for any number
	Short string // one line for the overview
	Long  string // paragraphs, separated by empty lines

	Groups  []group              // which daemon options it takes
	Reports bool                 // takes --output
	Flags   func(*pflag.FlagSet) // options of this command alone; may be nil
	Exits   []int                // exit codes beside exitOK and exitUsage
	Hidden  bool                 // works, but help does not mention it
	Absent  string               // not in this build, with a hint what to do; Hidden and without Run
	Run     func(context.Context, *Invocation) int
}

// commands returns the command table. It is a function since the table holds
// cmdHelp, which itself prints the table.
func commands() []Command {
	sources := strings.Join(sourceNames(), ", ")
	return append([]Command{
		{
			Name:  "run",
			Short: "read, test and credit: the daemon, also without a command",
			Long: `Reads the hardware random number generators of this machine, tests every block
and hands what passed to the kernel, with credit. Blocks that fail are thrown
away, and a generator that keeps failing is not used until it works again.

It stays in the foreground and logs to standard error. SIGTERM stops it. SIGHUP
makes it read its configuration file again: a valid one is applied without a
restart, an invalid one is refused and the old one stays.

Crediting the kernel needs root or the capability CAP_SYS_ADMIN.`,
			Groups: []group{groupSources, groupSingle, groupFeeding, groupMetrics, groupLog, groupPrivileges, groupMachine},
			Exits:  []int{exitUnavailable, exitOS, exitAlreadyRunning, exitPermission},
			Run:    cmdRun,
		},
		auditCommand(),
		{
			Name:  "list",
			Short: "show every source and why one cannot be used",
			Long: `Lists every source of randomness that this machine has or could have, and for
each that cannot be used the reason. Reads a few bytes of each, to see whether it
answers, gives the CPU jitter source a moment for its start-up test, starts no
program, and changes nothing.`,
			Groups:  []group{groupSources, groupSingle, groupMachine},
			Reports: true,
			Flags:   listFlags,
			Exits:   []int{exitOS, exitIO, exitPermission},
			Run:     cmdList,
		},
		{
			Name:  "status",
			Short: "show how the kernel and the running daemon are doing",
			Long: `Shows the state of the kernel's random number generator and of the running
daemon, who seeds the kernel beside it and what the daemon has added, and says
in one sentence whether all is well. The exit code is 69 if the daemon runs
without a usable source or the kernel is not seeded.`,
			Groups:  []group{groupMachine},
			Reports: true,
			Exits:   []int{exitUnavailable, exitOS, exitIO, exitPermission},
			Run:     cmdStatus,
		},
		{
			Name:  "check",
			Short: "check configuration and machine, change nothing",
			Long: `Reads the configuration as 'hwrngd run' would and reports every mistake in it.
Takes the same options as run, changes nothing and starts nothing. If it is valid,
looks whether the machine will do: may this user credit, is there a generator, can
the wanted one be selected, is the port for the metrics free.

With --print it shows the value of every option and where it comes from. The
output is itself a valid configuration file.`,
			Groups:  []group{groupSources, groupSingle, groupFeeding, groupMetrics, groupLog, groupPrivileges, groupMachine},
			Reports: true,
			Flags:   checkFlags,
			Exits:   []int{exitUnavailable, exitOS, exitIO, exitPermission},
			Run:     cmdCheck,
		},
		{
			Name:  "bench",
			Args:  "[SOURCE...]",
			Max:   -1,
			Short: "measure the sources beside /dev/urandom",
			Long: `Reads each source for a while and shows its rate, the CPU time that it costs and
its claimed min-entropy, beside /dev/urandom as programs read it. Sources: ` + sources + `
and urandom (default: all of them, ` + configurable + `). What is read
is thrown away, never credited.

CPU time is that of this process, the kernel's work for it included. The exit code
is 69 if a source that was named is not usable.`,
			Groups:  []group{groupSources, groupSingle, groupMachine},
			Reports: true,
			Flags:   benchFlags,
			Exits:   []int{exitUnavailable, exitOS, exitIO, exitPermission},
			Run:     cmdBench,
		},
		{
			Name:  "capture",
			Args:  "SOURCE",
			Max:   1,
			Short: "write raw samples of a source for an assessment",
			Long: `Writes raw samples of a source, before any conditioning of ours, for
` + ownAssessor + ` or another assessor. Sources: ` + sources + `.
Whoever has such a file knows the samples: they are never credited to the kernel, and
must never become a key.

With --out FILE, which must not exist yet and only its owner can read, a header goes
to FILE.json: machine, setting, load, hash of the samples. A capture that fails or is
interrupted removes both, and exits with 74 when interrupted.

` + unprivileged + ` no privilege, the others must be able to read the device. Runs
beside the daemon; both share a hardware generator then, but ` + oneReader + ` has one reader.`,
			Groups: []group{groupSources, groupSingle, groupMachine},
			Flags:  captureFlags,
			Exits:  []int{exitNoInput, exitUnavailable, exitOS, exitIO, exitAlreadyRunning, exitPermission},
			Run:    cmdCapture,
		},
		assessCommand(),
		{
			Name:  "version",
			Short: "show the version",
			Long: `Shows the version on the first line, then how the program was built. With
--output=json it also lists the modules that went into it.`,
			Reports: true,
			Exits:   []int{exitIO},
			Run:     cmdVersion,
		},
		{
			Name:  "help",
			Args:  "[COMMAND]",
			Max:   1,
			Short: "explain a command and its options",
			Long:  "Explains one command, or lists all of them.",
			Exits: []int{exitIO},
			Run:   cmdHelp,
		},
	}, buildCommands()...)
}
