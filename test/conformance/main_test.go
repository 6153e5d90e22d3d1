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

	"github.com/hwrngd/hwrngd/test/kit"
)

func TestMain(m *testing.M) {
	code := kit.Run(m, kit.Provide, link)
	fmt.Print(table())
	os.Exit(code)
}

// rngtest returns the path of our program by the name of rngtest.
func rngtest() string { return filepath.Join(kit.Dir(), "rngtest") }

func link(string) error { return os.Symlink(kit.Program(), rngtest()) }

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
	if err != nil {
		kit.Missing(t, "no rngtest to compare with: %v", err)
	}
	return path
}
