//go:build !minimal

package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/hwrngd/hwrngd/audit/rngtest"
)

// The name of the program that 'hwrngd audit --rngtest' stands in for, and the option.
const (
	rngtestName = "rngtest"
	rngtestFlag = "--rngtest"
)

// Exit codes of rngtest beside exitOK and exitFailedTests, from rngtest(1). Its code 12, for errors
// of the operating system, comes only where signals cannot be caught, which does not happen here.
const (
	rngtestUsage int = 10
	rngtestIO    int = 11
)

// rngtestHelp explains rngtest's options. They are not in the table of commands, since letters mean
// other things there and errors have other exit codes.
const rngtestHelp = rngtestSynopsis + `
Tests standard input, or FILE, in blocks of 20000 bits by the tests of FIPS 140-2,
with the options, statistics and exit codes of rngtest 6.17.

  -c, --blockcount=N   stop after N blocks (default 0: at the end of the input)
  -b, --blockstats=N   print statistics every N blocks (default 0: only at the end)
  -t, --timedstats=N   print statistics after a block every N seconds (default 0:
                       only at the end)
  -p, --pipe           copy the blocks that pass to standard output, and print
                       nothing but statistics
  -?, --help           show this help
      --usage          show the usage line
  -V, --version        show the version

N is written as in C: 0x10 and 020 are 16. Statistics go to standard error. The
first 4 bytes of the input, with --pipe the first 8, are not tested.

Exit codes: 0 all blocks passed, 1 a block failed or there was none, 10 wrong
options, 11 reading or writing failed. An ideal source fails one block in 1258:
'hwrngd audit' without --rngtest says whether failures are more than chance.
`

const rngtestSynopsis = `Usage: hwrngd audit --rngtest [OPTION...] [FILE]
   or: rngtest [OPTION...] [FILE]
`

// arguments returns the arguments of a process. Under the name rngtest it is hwrngd audit --rngtest.
func arguments(argv []string) []string {
	switch {
	case len(argv) == 0:
		return nil
	case filepath.Base(argv[0]) == rngtestName:
		return append([]string{"audit", rngtestFlag}, argv[1:]...)
	}
	return argv[1:]
}

// cutRngtest takes --rngtest out of the arguments of audit, and tells whether it was there.
func cutRngtest(args []string) ([]string, bool) {
	for i, arg := range args {
		switch arg {
		case "--":
			return args, false
		case rngtestFlag:
			return slices.Concat(args[:i], args[i+1:]), true
		}
	}
	return args, false
}

// rngtestMain does what rngtest does with these arguments.
func rngtestMain(ctx context.Context, inv *Invocation, args []string) int {
	// As rngtest, be killed if the reader of --pipe goes away: without the handler that main has
	// set, that is what writing to a broken standard output or standard error does.
	signal.Reset(syscall.SIGPIPE)

	banner := "rngtest of hwrngd " + buildVersion().Version
	opt, err := rngtest.Parse(args)
	if err != nil {
		inv.tell("rngtest: " + escapeControls(err.Error()) + "\nhint: 'hwrngd audit --rngtest --help' lists the options\n")
		return rngtestUsage
	}
	if opt.Show != rngtest.Nothing {
		texts := map[rngtest.Show]string{rngtest.Help: rngtestHelp, rngtest.Usage: rngtestSynopsis, rngtest.Version: banner + "\n"}
		if err := inv.write([]byte(texts[opt.Show])); err != nil {
			inv.tell("rngtest: " + err.Error() + "\n")
			return rngtestIO
		}
		return exitOK
	}
	in, err := rngtestInput(ctx, inv, opt.File)
	if err != nil {
		inv.tell("rngtest: cannot " + escapeControls(err.Error()) + "\n")
		return rngtestIO
	}
	result := rngtest.Run(ctx, rngtest.Config{
		Options: opt, Input: in, ReadAhead: readsAhead(in),
		Output: inv.Stdout, Messages: inv.Stderr, Banner: banner,
	})
	switch result {
	case rngtest.Passed:
		return exitOK
	case rngtest.Broken:
		return rngtestIO
	}
	return exitFailedTests
}

// rngtestInput opens the input. An open that hangs, as that of a FIFO without a writer does, holds
// nobody up when ctx is done.
func rngtestInput(ctx context.Context, inv *Invocation, path string) (io.Reader, error) {
	if path == "" || path == "-" {
		return inv.Stdin, nil
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		// Not os.Open: a terminal that is tested must not become the one that signals come from.
		file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOCTTY, 0)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err // the process ends with the test, so nothing closes the file
	case <-ctx.Done():
		return nil, &os.PathError{Op: "open", Path: path, Err: context.Cause(ctx)}
	}
}

// readsAhead tells whether a read of many blocks returns what is there. A read of a character
// device such as /dev/hwrng waits for all of it.
func readsAhead(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return true
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}
