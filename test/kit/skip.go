package kit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// require is the variable of the environment that forbids a package to skip: HWRNGD_REQUIRE_VM for test/vm.
// A test begins in its package's directory.
var require = func() string {
	dir, _ := os.Getwd()
	return "HWRNGD_REQUIRE_" + strings.ToUpper(filepath.Base(dir))
}()

// Missing skips a case that cannot run here, or fails it where $HWRNGD_REQUIRE_PACKAGE is 1, with the name of
// the test's directory for PACKAGE.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv(require) == "1" {
		t.Fatalf(require+"=1, but "+format, args...)
	}
	t.Skipf("SKIPPED, NOT TESTED: "+format, args...)
}

// NeedRoot skips a case that credits the kernel, takes privileges away from a process or makes a machine.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "needs root")
	}
}

// NeedTool skips a case whose tool is not installed.
func NeedTool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Missing(t, "needs %s (test/need.sh installs it): %v", name, err)
	}
}
