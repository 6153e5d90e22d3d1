//go:build !minimal

package main

import (
	"context"
	"strings"
)

// The commands of the full build alone.

func auditCommand() Command {
	return Command{
		Name:  "audit",
		Args:  "[FILE|DEVICE|SOURCE|-]",
		Max:   -1,
		Short: "test a stream, a file or a device, and judge it",
		Long: `Reads a file, a device, a tty or a pipe (- is standard input) and says whether it looks
like the output of an ideal source: the FIPS 140-2 block tests with the number of
failures to expect, statistics over all data, repeats, and the likely cause of what is
wrong. Needs no privilege but that to read. The name of a source (` + strings.Join(sourceNames(), ", ") + `)
stands for what the daemon would read, as it is configured. What never ends is read for
1000 blocks of 2500 bytes unless told otherwise. Of several limits the first one reached
holds.

'hwrngd audit merge A.json B.json ...' makes one report of those that --output=json
printed, for a production lot.

The exit code is 0 for a pass and 1 for a fail. It is 65 if the data do not decide: fewer
than asked for, or suspicious; run again with more. After Ctrl-C the report is of what was
read so far. Data kept by --tee must never be credited to a kernel or become a key.`,
		Groups:  []group{groupSingle, groupMachine},
		Reports: true,
		Flags:   auditFlags,
		Exits:   []int{exitFailedTests, exitTooLittleData, exitNoInput, exitUnavailable, exitOS, exitIO, exitAlreadyRunning, exitPermission},
		Run:     cmdAudit,
	}
}

func assessCommand() Command {
	return Command{
		Name:  "assess",
		Args:  "FILE",
		Max:   1,
		Short: "estimate the min-entropy of raw samples",
		Long: `Estimates the min-entropy of raw samples by SP 800-90B section 6.3, without the
assumption that they are independent. FILE has one sample a byte, as 'hwrngd capture'
writes it; - is standard input. The standard asks for 1000000 consecutive samples, 1000
are the least. A million takes about a second and 100 MB, or 270 MB if they repeat a lot.

With --restart it makes the restart tests of section 3.1.4 on the rows of FILE. With
--replay it puts recorded times, of 'hwrngd capture jitter --format=u64', through the
very tests that the jitter source runs. The exit code is 1 if those tests fail.`,
		Reports: true,
		Flags:   assessFlags,
		Exits:   []int{exitFailedTests, exitTooLittleData, exitNoInput, exitIO, exitPermission},
		Run:     cmdAssess,
	}
}

// asRngtest does what rngtest does if the command line asks for it.
func asRngtest(ctx context.Context, inv *Invocation, command string, args []string) (code int, asked bool) {
	if command != "audit" {
		return exitOK, false
	}
	rest, asked := cutRngtest(args)
	if !asked {
		return exitOK, false
	}
	return rngtestMain(ctx, inv, rest), true
}
