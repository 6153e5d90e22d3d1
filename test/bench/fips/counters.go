//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// labels are the names of rngtest's counters, as they stand in its statistics.
var labels = [...]string{
	"FIPS 140-2 successes",
	"FIPS 140-2 failures",
	"FIPS 140-2(2001-10-10) Monobit",
	"FIPS 140-2(2001-10-10) Poker",
	"FIPS 140-2(2001-10-10) Runs",
	"FIPS 140-2(2001-10-10) Long run",
	"FIPS 140-2(2001-10-10) Continuous run",
}

// testsLabel is the name of a line that our program adds: microseconds of CPU time.
const testsLabel = "CPU time of the tests alone"

// counters are the blocks that passed, those that failed, and those that failed
// each of the five tests.
type counters [len(labels)]int

func (c counters) String() string {
	return fmt.Sprintf("%d blocks good, %d bad; monobit %d, poker %d, runs %d, long run %d, continuous run %d",
		c[0], c[1], c[2], c[3], c[4], c[5], c[6])
}

// parse reads the counters out of a program's statistics. Each must be there once.
func (o *outcome) parse(text string) error {
	values := map[string]int{}
	for line := range strings.Lines(text) {
		line, ours := strings.CutPrefix(strings.TrimSpace(line), "rngtest: ")
		label, value, ok := strings.Cut(line, ": ")
		if !ours || !ok {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			continue // speeds and the like
		}
		if _, again := values[label]; again {
			return fmt.Errorf("%q occurs twice", label)
		}
		values[label] = n
	}
	for i, label := range labels {
		n, ok := values[label]
		if !ok {
			return fmt.Errorf("no %q in:\n%s", label, text)
		}
		o.counters[i] = n
	}
	o.tests = time.Duration(values[testsLabel]) * time.Microsecond
	return nil
}

// judge tests a file as rngtest does and writes rngtest's counters to out.
func judge(in *os.File, out io.Writer) error {
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("look at test file: %w", err)
	}
	data, err := syscall.Mmap(int(in.Fd()), 0, int(info.Size()),
		syscall.PROT_READ, syscall.MAP_SHARED|syscall.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map test file: %w", err)
	}
	if len(data) < 4 {
		return errors.New("test file is too short")
	}

	start, err := cpuTime()
	if err != nil {
		return err
	}
	var tester fips.Tester
	tester.Prime([4]byte(data))
	var c counters
	for b := data[4:]; len(b) >= fips.BlockBytes; b = b[fips.BlockBytes:] {
		failed := tester.Block((*[fips.BlockBytes]byte)(b))
		if failed == 0 {
			c[0]++
			continue
		}
		c[1]++
		for i, test := range fips.Tests {
			if failed.Has(test) {
				c[2+i]++
			}
		}
	}
	end, err := cpuTime()
	if err != nil {
		return err
	}

	for i, label := range labels {
		fmt.Fprintf(out, "rngtest: %s: %d\n", label, c[i])
	}
	fmt.Fprintf(out, "rngtest: %s: %d\n", testsLabel, (end - start).Microseconds())
	return nil
}

// cpuTime returns the CPU time that this process has used so far.
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
