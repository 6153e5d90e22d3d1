// Hwrngd reads hardware random number generators, tests what they deliver and
// credits the Linux kernel's random pool with what passed.
//
// This package is the command line: one table of commands (commands.go), one
// table of options (options.go) from which flags, environment variables, TOML
// keys and help texts all come, and one file for each command. It is the only
// package that knows about the logging library and about exit codes.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	// A reader that goes away (hwrngd list | head, a log pipe that is closed)
	// must show up as a failed write, not kill the process: the daemon goes on
	// without its log, and reporting commands exit with exitIO. Catching the
	// signal does that, and unlike ignoring it is not inherited by children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks politely, the second has its default effect, so
	// that nobody needs kill -9 for a command that hangs on a device.
	context.AfterFunc(ctx, stop)

	os.Exit(dispatch(ctx, process{
		environ: os.Environ(),
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		sandbox: enterSandbox,
	}, arguments(os.Args)))
}

// process is what the operating system hands to a program beside its
// arguments. Tests build their own.
type process struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	sandbox        func(*Config, *slog.Logger) // nil: none
}

// dispatch finds the command, parses its arguments, runs it and returns the
// exit code.
func dispatch(ctx context.Context, p process, args []string) int {
	inv := &Invocation{Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr, Environ: p.environ, sandbox: p.sandbox}

	if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
		return inv.exit(inv.write([]byte(overview())))
	}
	name := "run"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if code, asked := asRngtest(ctx, inv, name, args); asked {
		return code
	}
	cmd, err := findCommand(name)
	if err != nil {
		return inv.Fail(err)
	}
	inv.Command = cmd
	if err := inv.parse(args); err != nil {
		return inv.Fail(err)
	}
	switch {
	case inv.help:
		return inv.exit(inv.write([]byte(commandHelp(cmd))))
	case inv.version:
		return inv.exit(inv.write([]byte(buildVersion().Version + "\n")))
	}
	return cmd.Run(ctx, inv)
}

// findCommand looks a command up and suggests the nearest one for a typing
// error.
func findCommand(name string) (*Command, error) {
	table := commands()
	if i := slices.IndexFunc(table, func(c Command) bool { return c.Name == name }); i >= 0 {
		if hint := table[i].Absent; hint != "" {
			return nil, exitErrorf(exitUsage, hint, "this is the minimal build of hwrngd, which has no command %q", name)
		}
		return &table[i], nil
	}
	var names []string
	for _, c := range table {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	hint := "'hwrngd help' lists the commands"
	if near := nearest(name, names); near != "" {
		hint = "did you mean 'hwrngd " + near + "'? " + hint
	}
	return nil, exitErrorf(exitUsage, hint, "unknown command %q", name)
}
