//go:build linux

// Package peer runs programs on the same data, each in a process of its own, and tells what they cost.
package peer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Result is what a run of a program yields.
type Result struct {
	Stdout, Stderr string
	CPU            time.Duration // user and system, with its start-up and its reading
	Wall           time.Duration
}

// Run runs a program with the file, from its start, as standard input. An exit code of 1 is no error:
// a few blocks always fail.
func Run(file *os.File, program string, args ...string) (r Result, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return r, fmt.Errorf("rewind test file: %w", err)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin = file
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	r.Wall = time.Since(start)
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return r, fmt.Errorf("run %s: %w\n%s", program, err, stderr.String())
	}
	r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.Stdout, r.Stderr = stdout.String(), stderr.String()
	return r, nil
}

// Data returns a file of pseudo-random bytes, in memory if there is a tmpfs. Its name is gone already, so
// that nothing is left behind.
func Data(size int64) (*os.File, error) {
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

// Hwrngd returns the path of hwrngd, $HWRNGD or else built for the occasion, and what removes it again.
func Hwrngd() (path string, remove func(), err error) {
	if path := os.Getenv("HWRNGD"); path != "" {
		return path, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "hwrngd-bench-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory for hwrngd: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "hwrngd")
	cmd := exec.Command("go", "build", "-o", path, "github.com/hwrngd/hwrngd/cmd/hwrngd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		remove()
		return "", nil, fmt.Errorf("build hwrngd: %w", err)
	}
	return path, remove, nil
}

// Median returns the median.
func Median[T ~int64 | ~float64](list []T) T {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
