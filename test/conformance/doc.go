// Package conformance compares hwrngd audit --rngtest with rngtest itself: both programs get the
// same inputs and options, and must agree in every line of their statistics, in exit code, in what
// they copy, and in how much they read.
//
//	go test ./test/conformance -v
//
// The other program is that of $RNGTEST, else Debian's rngtest 2.3 from the package
// rng-tools-debian, which test/need.sh unpacks. Without it the cases are skipped, loudly, or fail
// if $HWRNGD_REQUIRE_CONFORMANCE is 1. Ours is that of $HWRNGD, else it is built first. -short leaves
// out the longest stream. The table at the end has what was compared, input by input.
//
// Lines that hold a time are compared without their numbers and units. What else is known to
// differ:
//
//   - The banner. It is not compared.
//   - "entropy source exhausted!" in version 2.3 is "entropy source drained" in 6.17 and here. The
//     suite reads the one as the other, and counts how often.
//   - Version 2.3 reads decimal numbers only and nothing behind them; 6.17 and hwrngd read them as
//     C's %i. Tested in package audit/rngtest.
//   - rngtest has no operands; hwrngd takes one, a file. Texts of usage errors and of help are our
//     own; exit codes are compared.
//   - A standard input or output that is closed at the start is /dev/null for a Go program: its
//     input has ended, and what it copies is lost without an error.
//   - SIGPIPE that is ignored from the start is not ignored by a Go program: it is killed where
//     rngtest would report the error and exit with 11.
//   - SIGUSR1 and other signals without a meaning are ignored and do not kill.
package conformance
