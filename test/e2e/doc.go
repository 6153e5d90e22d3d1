// Package e2e tests the built program from outside: as a process, on a real kernel, with real and
// with faulty devices.
//
//	make e2e                                  # builds, installs what is missing, runs everything
//	HWRNGD=/path/to/hwrngd go test ./test/e2e -run FC043 -v
//
// Without $HWRNGD the program is built first. Cases that credit the kernel need root, those with
// injected faults need strace; they are skipped, loudly, where these are missing. -short shortens
// the one case that takes a minute, -update rewrites the golden scrape. Lines with REPORT are
// figures, not verdicts.
//
// Each case has a bench, a machine of its own: a device (a FIFO with a feeder, a pty, a file), a
// sysfs, and where it matters a procfs. Nothing is ever written to the machine's own sysfs, and
// its /dev/hwrng is read in a single case. Credit does go to the machine's own kernel, which does
// it no harm.
//
// # Field cases
//
// Names begin with the number of the field case (reference/field-cases.md) that they show. These
// are not shown here, for the reason given:
//
//   - FC-039: the edges of the limits are tested in package fips, cutoffs (FC-099) in package
//     sp80090b.
//   - FC-050 and FC-051 for the daemon, which has no source behind a tty: shown for the audit.
//   - A jitter source that has failed for good, which no reload revives: from outside, memory
//     cannot be made to lose its jitter. Shown in packages source/jitter and cmd/hwrngd.
//   - FC-014, 026, 060: lint of units and scripts, tested where these are.
//   - FC-033: a source behind a serial line.
//   - FC-034: a suspend cannot be had here; the jump of the clock is tested in package source.
//   - FC-031, second half (a dead main loop stops the pings): nothing outside the program can stop
//     that loop alone.
//   - FC-009 and FC-036 on a kernel with the pool from before 5.18: no such kernel is to be had.
//     The procfs is fake there, and what poll answers is.
package e2e
