package monitoring

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// program is the daemon under test.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	program = os.Getenv("HWRNGD")
	if program == "" {
		dir, err := os.MkdirTemp("", "hwrngd-monitoring-")
		if err != nil {
			fmt.Fprintln(os.Stderr, "monitoring:", err)
			return 1
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "hwrngd")
		cmd := exec.Command("go", "build", "-o", program, "./cmd/hwrngd")
		cmd.Dir = "../.." // the product is another module
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "monitoring: no daemon to test: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// tool returns the path of a program of Prometheus, which a variable of the environment names.
func tool(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("SKIPPED, NOT TESTED: $%s is not set (make monitoring sets it)", variable)
	}
	return path
}

// needRoot skips a case that credits the kernel.
func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: needs root")
	}
}

// patience is how long a case waits for what must come. It is long, since it costs nothing where all is
// well, and a busy machine must not make a case fail.
const patience = 3 * time.Minute

// eventually waits until cond holds, and fails the case if it does not.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(tool(t, "PROMTOOL"), args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("promtool %q: %v\n%s", args, err, out.String())
	}
}

func TestPromtoolChecksRules(t *testing.T) {
	promtool(t, "check", "rules", "--lint=all", "--lint-fatal", rulesFile, alertsFile)
}

func TestPromtoolCases(t *testing.T) {
	for _, path := range caseFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { promtool(t, "test", "rules", path) })
	}
}
