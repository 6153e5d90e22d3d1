package e2e

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// program is the binary under test.
var program string

// parallelCases is how many cases run at the same time. They wait more than they compute, so the
// number of cores, which is go test's default, would only make the suite slow.
const parallelCases = 16

func TestMain(m *testing.M) {
	if what := os.Getenv(restrictEnv); what != "" {
		becomeRestricted(what) // does not return
	}
	// A shell starts what it puts into the background with these ignored, and so would the programs
	// tested be. Caught here, they have their default effect there.
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", fmt.Sprint(parallelCases))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hwrngd-e2e-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = provide(filepath.Join(dir, "hwrngd"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e: no binary to test:", err)
		return 1
	}
	return m.Run()
}

// provide puts the binary under test at path: the one that $HWRNGD names, or a fresh build. It is
// copied because unprivileged users, who are part of the tests, may not reach the original.
func provide(path string) error {
	program = path
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	given := os.Getenv("HWRNGD")
	if given == "" {
		cmd := exec.Command("go", "build", "-o", path, "github.com/hwrngd/hwrngd/cmd/hwrngd")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		return cmd.Run()
	}
	from, err := os.Open(given)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	return to.Close() // a file that is open for writing cannot be executed
}

// needRoot skips a case that credits the kernel or takes privileges away from a process.
func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: needs root")
	}
}

// needTool skips a case whose tool is not installed; make e2e installs it.
func needTool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: needs %s: %v", name, err)
	}
}

// patience is how long a case waits for what must come. It is long, since it costs nothing where
// all is well, and a busy machine must not make a case fail.
const patience = 20 * time.Second

// eventually waits until cond holds, and fails the case if it does not within the limit.
func eventually(t testing.TB, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// always watches that cond holds for as long as d.
func always(t testing.TB, d time.Duration, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if !cond() {
			t.Fatalf("does not hold: %s", what)
		}
	}
}

// mustContain fails the case for each part that text lacks.
func mustContain(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func mustChmod(t testing.TB, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
