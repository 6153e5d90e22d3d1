package faults

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var (
	tableFile = flag.String("table", "", "also write the table of verdicts to this file")
	soakTime  = flag.Duration("soak", 0, "run the soak for this long; without it, it is skipped")
	soakSeed  = flag.Uint64("soak-seed", 1, "seed of the soak's random faults")
)

// parallelCases is how many cases run at the same time. They wait more than they compute.
const parallelCases = 8

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", fmt.Sprint(parallelCases))
	}
	code := m.Run()
	if programDir != "" {
		os.RemoveAll(programDir)
	}
	if err := verdicts.print(*tableFile); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// programDir holds the program under test if it was built here.
var programDir string

// program returns the path of the program under test: $HWRNGD, or a static build that is made once.
var program = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("HWRNGD"); given != "" {
		return filepath.Abs(given)
	}
	dir, err := os.MkdirTemp("", "hwrngd-faults-")
	if err != nil {
		return "", err
	}
	programDir = dir
	path := filepath.Join(dir, "hwrngd")
	cmd := exec.Command("go", "build", "-o", path, "github.com/hwrngd/hwrngd/cmd/hwrngd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// patience is how long a case waits for what must come sooner or later.
const patience = 20 * time.Second

// eventually waits until cond holds, and fails the test if it does not within the limit.
func eventually(t testing.TB, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}

// needTool skips a case whose tool is missing.
func needTool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: needs %s (test/need.sh installs it): %v", name, err)
	}
}
