//go:build linux

// Command audit measures hwrngd audit, its whole default report, beside rngtest. Both read the same
// pseudo-random files, each in a process of its own, in turns. What counts is the CPU time, user and
// system, that the kernel accounts to a process with its start-up and its reading; wall time is shown
// beside it, and depends on what else runs. Both must find the same failures.
//
// There are two files: audit looks closer at the first 10 MB of a stream than at the rest.
//
//	go run ./test/bench/audit [-rounds 5] [RNGTEST]
//
// RNGTEST is the path of Debian's rngtest 2.3 (package rng-tools-debian) or of rngtest 6.17; the
// environment variable of that name will do as well. Our program is that of $HWRNGD; without it, one is
// built.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/hwrngd/hwrngd/test/bench/peer"
)

func main() {
	rounds := flag.Int("rounds", 5, "number of runs of each program")
	flag.Parse()
	rngtest := cmp.Or(flag.Arg(0), os.Getenv("RNGTEST"))
	err := errors.New("no rngtest to compare with: give its path as the argument or in RNGTEST")
	if rngtest != "" {
		err = compare(rngtest, max(*rounds, 1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench audit:", err)
		os.Exit(1)
	}
}

// compare runs both programs and prints what they need.
func compare(rngtest string, rounds int) error {
	hwrngd, remove, err := peer.Hwrngd()
	if err != nil {
		return err
	}
	defer remove()
	fmt.Printf("%s, %s/%s, %d processors\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Printf("%-12s%30s  %30s\n", "", "CPU seconds of each process", "wall seconds")
	fmt.Printf("%-12s%10s%11s%9s  %10s%11s%9s\n", "bytes", "rngtest", "audit", "ratio", "rngtest", "audit", "ratio")
	for _, size := range []int64{10e6, 256 << 20} {
		file, err := peer.Data(size)
		if err != nil {
			return err
		}
		var theirs, ours []outcome
		for range rounds {
			their, err := run(file, rngtest)
			if err != nil {
				return err
			}
			our, err := run(file, hwrngd, "audit", "--output=json")
			if err != nil {
				return err
			}
			if their.failures != our.failures {
				return fmt.Errorf("rngtest finds %d failed blocks, hwrngd %d", their.failures, our.failures)
			}
			theirs, ours = append(theirs, their), append(ours, our)
		}
		file.Close()
		their, our := medians(theirs), medians(ours)
		fmt.Printf("%-12d%10.3f%11.3f%8.1fx  %10.3f%11.3f%8.1fx\n", size,
			their.cpu.Seconds(), our.cpu.Seconds(), float64(their.cpu)/float64(our.cpu),
			their.wall.Seconds(), our.wall.Seconds(), float64(their.wall)/float64(our.wall))
		fmt.Printf("%-12s%10.2f%11.2f%9s  %10.2f%11.2f\n\n", "ns a byte",
			perByte(their.cpu, size), perByte(our.cpu, size), "", perByte(their.wall, size), perByte(our.wall, size))
	}
	return nil
}

func perByte(t time.Duration, size int64) float64 { return float64(t.Nanoseconds()) / float64(size) }

// outcome is what a run of a program yields.
type outcome struct {
	failures int64
	cpu      time.Duration
	wall     time.Duration
}

// medians returns the median of each figure.
func medians(list []outcome) outcome {
	var cpu, wall []time.Duration
	for _, o := range list {
		cpu, wall = append(cpu, o.cpu), append(wall, o.wall)
	}
	return outcome{cpu: peer.Median(cpu), wall: peer.Median(wall)}
}

var rngtestFailures = regexp.MustCompile(`FIPS 140-2 failures: (\d+)`)

// run runs a program with the file as standard input.
func run(file *os.File, program string, args ...string) (o outcome, err error) {
	result, err := peer.Run(file, program, args...)
	if err != nil {
		return o, err
	}
	o.cpu, o.wall = result.CPU, result.Wall
	if match := rngtestFailures.FindStringSubmatch(result.Stderr); match != nil {
		o.failures, err = strconv.ParseInt(match[1], 10, 64)
		return o, err
	}
	var report struct {
		Tests []struct {
			Name     string `json:"name"`
			Failures int64  `json:"failures"`
		} `json:"tests"`
	}
	if err := json.Unmarshal([]byte(result.Stdout), &report); err != nil {
		return o, fmt.Errorf("read output of %s: %w\n%s", program, err, result.Stderr)
	}
	for _, test := range report.Tests {
		if test.Name == "any" {
			o.failures = test.Failures
			return o, nil
		}
	}
	return o, fmt.Errorf("no number of failures in the output of %s", program)
}
