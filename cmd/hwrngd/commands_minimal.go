//go:build minimal

package main

import (
	"context"
	"path/filepath"
)

// The minimal build lacks what needs most of its room and no generator.

func auditCommand() Command {
	return Command{Name: "audit", Hidden: true, Absent: "'hwrngd capture hwrng --out FILE' keeps data for the full build on another " +
		"machine; the daemon makes the same block tests here"}
}

func assessCommand() Command {
	return Command{Name: "assess", Hidden: true, Absent: "'hwrngd capture SOURCE --out FILE' keeps samples for the full build on another machine"}
}

// buildCommands are those with which packages are made, on a machine that builds.
func buildCommands() []Command { return nil }

// arguments returns the arguments of a process. Under the name rngtest it would be audit.
func arguments(argv []string) []string {
	switch {
	case len(argv) == 0:
		return nil
	case filepath.Base(argv[0]) == "rngtest":
		return []string{"audit"}
	}
	return argv[1:]
}

// asRngtest never is.
func asRngtest(context.Context, *Invocation, string, []string) (code int, asked bool) {
	return exitOK, false
}
