package conformance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var (
	dir     string // for inputs, gone at the end
	hwrngd  string // our program
	rngtest string // the same, by the name of rngtest
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if dir, err = os.MkdirTemp("", "hwrngd-conformance-"); err == nil {
		defer os.RemoveAll(dir)
		err = provide()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance: no binary to test:", err)
		return 1
	}
	code := m.Run()
	fmt.Print(table())
	return code
}

// provide finds or builds our program and gives it rngtest's name, too.
func provide() (err error) {
	if hwrngd = os.Getenv("HWRNGD"); hwrngd == "" {
		hwrngd = filepath.Join(dir, "hwrngd")
		cmd := exec.Command("go", "build", "-o", hwrngd, "github.com/hwrngd/hwrngd/cmd/hwrngd")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	if hwrngd, err = filepath.Abs(hwrngd); err != nil {
		return err
	}
	rngtest = filepath.Join(dir, "rngtest")
	return os.Symlink(hwrngd, rngtest)
}

// findOracle finds the other program.
var findOracle = sync.OnceValues(func() (string, error) {
	path := os.Getenv("RNGTEST")
	if path == "" {
		cmd := exec.Command("sh", "../need.sh", "--unpack", "rng-tools-debian", "usr/bin/rngtest", "usr/sbin/rngtest")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("unpack rng-tools-debian: %w\n%s", err, stderr.String())
		}
		path = strings.TrimSpace(string(out))
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	// The runs test of version 5, in Debian's rng-tools5, is wrong.
	if first, _, _ := strings.Cut(string(version), "\n"); !strings.HasPrefix(first, "rngtest ") || strings.HasPrefix(first, "rngtest 5") {
		return "", fmt.Errorf("%s is %q: version 2.3 or 6.17 is needed", path, first)
	}
	return path, nil
})

// oracle returns the path of the other program, and skips or fails the case if there is none.
func oracle(t testing.TB) string {
	t.Helper()
	path, err := findOracle()
	switch {
	case err == nil:
	case os.Getenv("HWRNGD_REQUIRE_ORACLE") != "":
		t.Fatalf("no rngtest to compare with: %v", err)
	default:
		t.Skipf("SKIPPED, NOT TESTED: no rngtest to compare with: %v", err)
	}
	return path
}
