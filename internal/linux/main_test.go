package linux

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childEnv names the job that a re-executed test binary does instead of testing.
const childEnv = "HWRNGD_LINUX_TEST_CHILD"

// nobody is an ordinary user's number.
const nobody = 65534

// children are the jobs, by name. What one prints is its answer.
var children = map[string]func(args []string) error{
	"add-entropy": childAddEntropy,
	"lock":        childLock,
	"no-ctty":     childNoControllingTerminal,
	"flock":       childFlock,
	"open":        childOpen,
	"open-port":   childOpenPort,

	"drop-privileges": childDropPrivileges,

	"own-terminal": childTakesOwnTerminal,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The runtime opens its poller's descriptors with the first file that can be polled, and keeps
	// them: before any test counts.
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
	os.Exit(m.Run())
}

// child prepares this test binary to do one of the jobs in another process. It runs by way of
// /proc/self/exe, since the directory that holds the binary is closed to other users.
func child(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	return cmd
}

// asNobody makes cmd run without any privilege.
func asNobody(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	needRoot(t)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return cmd
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// output runs cmd and returns what it printed; its exit code does not matter. Standard error is
// left out, for there a child that may not write coverage data says so.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// start starts cmd and waits for its first line. The process ends when the test does.
func start(t *testing.T, cmd *exec.Cmd) (firstLine string) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // the job waits for this
		io.Copy(io.Discard, stdout)
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("child: %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

// tree writes files below a new directory and returns it. A value that starts with "->" makes a
// symbolic link.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, link := strings.CutPrefix(content, "->"); link {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func mkfifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// within runs f and fails the test if it takes longer than limit; f then is left behind.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s took longer than %s", what, limit)
	}
}

// openFiles counts this process's descriptors.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

// noLeak fails the test if f leaves a descriptor open.
func noLeak(t *testing.T, f func()) {
	t.Helper()
	before := openFiles(t)
	f()
	if after := openFiles(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// fdFlags returns the flags of an open descriptor as the kernel knows them.
func fdFlags(t *testing.T, fd int) (flags int) {
	t.Helper()
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		t.Skip(err)
	}
	for line := range bytes.Lines(info) {
		if value, ok := bytes.CutPrefix(line, []byte("flags:")); ok {
			if _, err := fmt.Sscanf(string(value), "%o", &flags); err != nil {
				t.Fatal(err)
			}
			return flags
		}
	}
	t.Fatalf("no flags in %q", info)
	return 0
}
