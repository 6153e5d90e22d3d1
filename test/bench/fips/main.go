//go:build linux

// Command fips measures the FIPS 140-2 block tests of package fips beside those of
// rngtest. Both test the same pseudo-random file, each in a process of its own, in
// turns; what counts is the CPU time, user and system, that the kernel accounts to
// each process, with start-up and getting at the data: rngtest reads the file, ours
// maps it. The counters of both must agree. The last column has the share of our
// process that went into the tests alone.
//
//	go run ./test/bench/fips [-rounds 5] [-size 64] [RNGTEST]
//
// RNGTEST is the path of Debian's rngtest 2.3 (package rng-tools-debian) or of
// rngtest 6.17; the environment variable of that name will do as well. Not of
// rng-tools5: its runs test is wrong.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 5, "number of runs of each program")
	mebibytes := flag.Int64("size", 64, "size of the test file in MiB")
	child := flag.Bool("judge", false, "test standard input and print the counters (used internally)")
	flag.Parse()

	var err error
	switch rngtest := flag.Arg(0); {
	case *child:
		err = judge(os.Stdin, os.Stderr)
	case rngtest == "" && os.Getenv("RNGTEST") == "":
		err = errors.New("no rngtest to compare with: give its path as the argument or in RNGTEST, " +
			"for example that of the Debian package rng-tools-debian (make bench does)")
	case *rounds < 1 || *mebibytes < 1:
		err = errors.New("need at least one round and one MiB")
	default:
		if rngtest == "" {
			rngtest = os.Getenv("RNGTEST")
		}
		err = compare(rngtest, *rounds, *mebibytes<<20)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench fips:", err)
		os.Exit(1)
	}
}

// compare runs both programs and prints what they need.
func compare(rngtest string, rounds int, size int64) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	file, err := makeFile(size)
	if err != nil {
		return err
	}
	defer file.Close()

	fmt.Printf("FIPS 140-2 tests of %d MiB of pseudo-random data, CPU seconds (user+sys) of each process\n", size>>20)
	fmt.Printf("%s, %s/%s%s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, level())
	fmt.Printf("%-8s%12s%12s%10s%14s\n", "round", "rngtest", "hwrngd", "ratio", "tests alone")
	var theirs, ours, ratios, tests []float64
	var want counters
	for round := range rounds {
		their, err := run(file, rngtest)
		if err != nil {
			return err
		}
		our, err := run(file, self, "-judge")
		if err != nil {
			return err
		}
		if our.counters != their.counters || (round > 0 && their.counters != want) {
			return fmt.Errorf("counters differ:\nrngtest: %v\nhwrngd:  %v", their.counters, our.counters)
		}
		want = their.counters
		theirs = append(theirs, their.cpu.Seconds())
		ours = append(ours, our.cpu.Seconds())
		ratios = append(ratios, their.cpu.Seconds()/our.cpu.Seconds())
		tests = append(tests, our.tests.Seconds())
		fmt.Printf("%-8d%12.4f%12.4f%9.1fx%14.4f\n", round+1, theirs[round], ours[round], ratios[round], tests[round])
	}
	megabytes := float64(size) / 1e6
	fmt.Printf("%-8s%12.4f%12.4f%9.1fx%14.4f\n", "median", median(theirs), median(ours), median(ratios), median(tests))
	fmt.Printf("%-8s%12.1f%12.1f%10s%14.1f\n\n", "MB/CPU-s",
		megabytes/median(theirs), megabytes/median(ours), "", megabytes/median(tests))
	fmt.Printf("counters agree: %v\n", want)
	return nil
}

// makeFile returns a file of pseudo-random bytes, in memory if there is a tmpfs.
// Its name is gone already, so that nothing is left behind.
func makeFile(size int64) (*os.File, error) {
	file, err := os.CreateTemp("/dev/shm", "hwrngd-bench-")
	if err != nil {
		file, err = os.CreateTemp("", "hwrngd-bench-")
	}
	if err != nil {
		return nil, fmt.Errorf("create test file: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("unlink test file: %w", err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	rng := rand.NewChaCha8([32]byte{'h', 'w', 'r', 'n', 'g', 'd'})
	if _, err := io.CopyN(w, rng, size); err != nil {
		return nil, fmt.Errorf("write test file: %w", err)
	}
	if err := w.Flush(); err != nil {
		return nil, fmt.Errorf("write test file: %w", err)
	}
	return file, nil
}

// outcome is what a run of a program yields.
type outcome struct {
	counters counters
	cpu      time.Duration // of the process
	tests    time.Duration // of the tests alone; our program only
}

// run runs a program with the file as standard input.
func run(file *os.File, program string, args ...string) (o outcome, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return o, fmt.Errorf("rewind test file: %w", err)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin = file
	var stderr strings.Builder
	cmd.Stderr = &stderr
	// Both exit with 1 if any block failed, as a few always do.
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return o, fmt.Errorf("run %s: %w", program, err)
	}
	if err := o.parse(stderr.String()); err != nil {
		return o, fmt.Errorf("read output of %s: %w", program, err)
	}
	o.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return o, nil
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// level returns the instruction set level that this program is built for, which
// matters on amd64.
func level() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "GOAMD64" {
				return ", " + setting.Key + "=" + setting.Value
			}
		}
	}
	return ""
}
