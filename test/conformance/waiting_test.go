package conformance

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// TestSignals: a signal ends the wait for input at once, with statistics unless nothing has begun.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		for _, bytes := range []int{0, 3, 4, 3000, 6000} {
			for _, options := range []string{"", "-p"} {
				t.Run(fmt.Sprintf("%v after %d bytes/%s", signal, bytes, options), func(t *testing.T) {
					t.Parallel()
					both(t, "stopped by a signal", func(t *testing.T, program string) result {
						p := start(t, nil, program, strings.Fields(options)...)
						p.write(fipstest.G1(3)[:bytes])
						p.waits(syscall.SYS_READ, 0)
						if err := p.cmd.Process.Signal(signal); err != nil {
							t.Fatal(err)
						}
						return p.end()
					})
				})
			}
		}
	}
}

// TestSignalWhileWriting: nobody reads what is copied. What the last write has passed on is known
// to rngtest and not to us, so that the line about it is left out.
func TestSignalWhileWriting(t *testing.T) {
	both(t, "stopped while it writes", func(t *testing.T, program string) result {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		p := start(t, func(cmd *exec.Cmd) { cmd.Stdout = w }, program, "-p")
		w.Close()
		go p.input.Write(fipstest.G1(60)) // more than two pipes hold
		p.waits(syscall.SYS_WRITE, 1)
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		got := p.end()
		var kept strings.Builder
		for line := range strings.Lines(got.stderr) {
			if !strings.Contains(line, "bits sent to output") {
				kept.WriteString(line)
			}
		}
		got.stderr = kept.String()
		return got
	})
}

// TestTimedStats: each block comes more than a second after the one before, so that the second and
// the third are followed by statistics.
func TestTimedStats(t *testing.T) {
	both(t, "statistics every second", func(t *testing.T, program string) result {
		p := start(t, nil, program, "-t", "1")
		stream := fipstest.G1(3)
		for _, n := range []int{2504, 2500, 2500} {
			p.write(stream[:n])
			stream = stream[n:]
			p.waits(syscall.SYS_READ, 0)
			time.Sleep(1100 * time.Millisecond)
		}
		p.input.Close()
		got := p.end()
		if n := strings.Count(got.stderr, "successes"); n != 3 {
			t.Errorf("%s: %d statistics, want 3:\n%s", program, n, got.stderr)
		}
		return got
	})
}

// TestNotBlocking: an input that answers EAGAIN is waited for. Rngtest asks it again all the time, so
// there is nothing to compare.
func TestNotBlocking(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(rngtest())
	cmd.Stdin, cmd.Stderr = r, &stderr
	raw, err := r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil { // which makes r blocking, for the child too
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { err = syscall.SetNonblock(int(fd), true) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	const wait = 1500 * time.Millisecond
	for part := range slices.Chunk(fipstest.G1(1), 840) { // three
		time.Sleep(wait / 3)
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if exit := status(t, cmd.Wait()); exit != 0 {
		t.Errorf("exit %d\n%s", exit, stderr.String())
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("REPORT CPU time of %s of waiting: %s", wait, cpu)
	if cpu > wait/2 {
		t.Errorf("%s of CPU time in %s", cpu, wait)
	}
}

// TestRestOfInput: with -c the rest of the input is there for the next program.
func TestRestOfInput(t *testing.T) {
	both(t, "rest of a pipe", func(t *testing.T, program string) result {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := w.Write(fipstest.G1(10)); err != nil {
			t.Fatal(err)
		}
		w.Close()
		got := execute(t, r, program, "-c", "4")
		rest, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if want := 6 * fips.BlockBytes; len(rest) != want {
			t.Errorf("%s leaves %d bytes, want %d", program, len(rest), want)
		}
		return got
	})
}
