package conformance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// process is a program whose input the case writes.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	input          *os.File // the writing end of a pipe
	stdout, stderr bytes.Buffer
}

// start starts a program that reads a pipe. change may change the command.
func start(t *testing.T, change func(*exec.Cmd), program string, args ...string) *process {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(program, args...), input: w}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = r, &p.stdout, &p.stderr
	if change != nil {
		change(p.cmd)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() {
		w.Close()
		_ = p.cmd.Process.Kill() // if it has not ended
	})
	return p
}

// write writes to the input.
func (p *process) write(data []byte) {
	p.t.Helper()
	if _, err := p.input.Write(data); err != nil {
		p.t.Fatal(err)
	}
}

// waits waits until the program waits in a system call on a descriptor, having done all it can.
func (p *process) waits(call, descriptor int) {
	p.t.Helper()
	want := fmt.Sprintf("%d %#x ", call, descriptor)
	dir := filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "task")
	seen := 0
	for deadline := time.Now().Add(20 * time.Second); seen < 5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("%s: does not wait in system call %s", p.cmd.Path, want)
		}
		tasks, _ := filepath.Glob(filepath.Join(dir, "*", "syscall"))
		found := false
		for _, task := range tasks {
			text, _ := os.ReadFile(task)
			found = found || strings.HasPrefix(string(text), want)
		}
		if seen++; !found {
			seen = 0
		}
	}
}

// end waits for the end.
func (p *process) end() result {
	p.t.Helper()
	return result{status(p.t, p.cmd.Wait()), p.stdout.String(), p.stderr.String(), -1}
}

// both runs both programs and compares.
func both(t *testing.T, name string, run func(t *testing.T, program string) result) {
	t.Helper()
	theirs, ours := run(t, oracle(t)), run(t, rngtest())
	compare(t, name, theirs, ours)
	t.Logf("exit %d\n%s", ours.exit, ours.stderr)
}
