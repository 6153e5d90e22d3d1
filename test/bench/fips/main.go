//go:build linux

// Command fips measures hwrngd audit --rngtest, and the FIPS 140-2 block tests of package fips
// alone, beside rngtest. All test the same pseudo-random file, each in a process of its own, in
// turns. What counts is the CPU time, user and system, that the kernel accounts to a process with
// its start-up and its reading; wall time is shown beside it, and depends on what else runs. The
// last columns are the tests alone, by this program, of a file that is mapped. All counters must
// agree.
//
//	go run ./test/bench/fips [-rounds 5] [-size 256] [RNGTEST]
//
// RNGTEST is the path of Debian's rngtest 2.3 (package rng-tools-debian) or of
// rngtest 6.17; the environment variable of that name will do as well. Not of
// rng-tools5: its runs test is wrong. Our program is that of $HWRNGD; without it,
// it is built.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/hwrngd/hwrngd/test/bench/peer"
)

func main() {
	rounds := flag.Int("rounds", 5, "number of runs of each program")
	mebibytes := flag.Int64("size", 256, "size of the test file in MiB")
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

// series are the figures of one program, one for each round.
type series struct{ cpu, wall []float64 } // seconds

func (s *series) add(o outcome) {
	s.cpu = append(s.cpu, o.cpu.Seconds())
	s.wall = append(s.wall, o.wall.Seconds())
}

// compare runs the programs and prints what they need.
func compare(rngtest string, rounds int, size int64) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	hwrngd, remove, err := peer.Hwrngd()
	if err != nil {
		return err
	}
	defer remove()
	file, err := peer.Data(size)
	if err != nil {
		return err
	}
	defer file.Close()

	fmt.Printf("FIPS 140-2 tests of %d MiB of pseudo-random data\n", size>>20)
	fmt.Printf("%s, %s/%s%s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, level())
	fmt.Printf("%-10s%31s  %31s  %21s\n", "", "CPU seconds of each process", "wall seconds", "tests alone, CPU")
	fmt.Printf("%-10s%10s%12s%9s  %10s%12s%9s  %12s%9s\n", "round", "rngtest", "audit", "ratio", "rngtest", "audit", "ratio", "package fips", "ratio")
	row := func(name string, their, our, theirWall, ourWall, alone float64) {
		fmt.Printf("%-10s%10.4f%12.4f%8.1fx  %10.4f%12.4f%8.1fx  %12.4f%8.1fx\n",
			name, their, our, their/our, theirWall, ourWall, theirWall/ourWall, alone, their/alone)
	}
	var theirs, ours, alone series
	var want counters
	for round := range rounds {
		their, err := run(file, rngtest)
		if err != nil {
			return err
		}
		our, err := run(file, hwrngd, "audit", "--rngtest")
		if err != nil {
			return err
		}
		tests, err := run(file, self, "-judge")
		if err != nil {
			return err
		}
		if our.counters != their.counters || tests.counters != their.counters || (round > 0 && their.counters != want) {
			return fmt.Errorf("counters differ:\nrngtest:      %v\nhwrngd:       %v\npackage fips: %v",
				their.counters, our.counters, tests.counters)
		}
		want = their.counters
		theirs.add(their)
		ours.add(our)
		alone.add(outcome{cpu: tests.tests})
		row(fmt.Sprint(round+1), theirs.cpu[round], ours.cpu[round], theirs.wall[round], ours.wall[round], alone.cpu[round])
	}
	row("median", peer.Median(theirs.cpu), peer.Median(ours.cpu), peer.Median(theirs.wall), peer.Median(ours.wall), peer.Median(alone.cpu))
	megabytes := float64(size) / 1e6
	fmt.Printf("%-10s%10.1f%12.1f%9s  %10.1f%12.1f%9s  %12.1f\n\n", "MB/s",
		megabytes/peer.Median(theirs.cpu), megabytes/peer.Median(ours.cpu), "",
		megabytes/peer.Median(theirs.wall), megabytes/peer.Median(ours.wall), "", megabytes/peer.Median(alone.cpu))
	fmt.Printf("counters agree: %v\n", want)
	return nil
}

// outcome is what a run of a program yields.
type outcome struct {
	counters counters
	cpu      time.Duration // of the process
	wall     time.Duration
	tests    time.Duration // CPU time of the tests alone; this program only
}

// run runs a program with the file as standard input.
func run(file *os.File, program string, args ...string) (o outcome, err error) {
	result, err := peer.Run(file, program, args...)
	if err != nil {
		return o, err
	}
	if err := o.parse(result.Stderr); err != nil {
		return o, fmt.Errorf("read output of %s: %w", program, err)
	}
	o.cpu, o.wall = result.CPU, result.Wall
	return o, nil
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
