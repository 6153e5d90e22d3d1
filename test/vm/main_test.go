package vm

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/vm/qemu"
)

// scratch is a directory for what all cases of a run share.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	removeStale()
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", scratchPrefix, os.Getpid()))
	if err != nil {
		fmt.Fprintln(os.Stderr, "vm:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	scratch = dir
	code := m.Run()
	if err := results.publish(os.Getenv("HWRNGD_VM_RESULTS")); err != nil {
		fmt.Fprintln(os.Stderr, "vm: results:", err)
		return 1
	}
	return code
}

// scratchPrefix begins the name of each run's directory; the number of its process follows.
const scratchPrefix = "hwvm-"

// removeStale removes what runs left behind that were killed, which go test does after a time.
func removeStale() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*"))
	for _, dir := range dirs {
		var pid int
		_, err := fmt.Sscanf(filepath.Base(dir), scratchPrefix+"%d-", &pid)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

// all tells whether to run what is too slow for each change.
func all() bool { return os.Getenv("HWRNGD_VM") == "all" }

// missing skips a case that lacks something, or fails it where everything must be there.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("HWRNGD_REQUIRE_VM") == "1" {
		t.Fatalf("HWRNGD_REQUIRE_VM=1, but "+format, args...)
	}
	t.Skipf("SKIPPED, NOT TESTED: "+format, args...)
}

// needQEMU skips a case that cannot have its machine.
func needQEMU(t *testing.T, arch string) {
	t.Helper()
	if _, err := exec.LookPath(qemu.Program(arch)); err != nil {
		missing(t, "no %s: %v; test/need.sh installs it", qemu.Program(arch), err)
	}
}

// cacheDir is where kernels are kept between runs.
func cacheDir(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "hwrngd", "vm")
}
