package kit

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// dirPrefix begins the name of each run's directory; the number of its process follows. It is short, see
// [TempDir].
const dirPrefix = "hwkit-"

var runDir string

// Run runs the tests of a package, after some preparations in the run's directory. It returns the exit
// code for TestMain.
func Run(m *testing.M, prepare ...func(dir string) error) int {
	removeStale(os.TempDir())
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	if err == nil {
		defer os.RemoveAll(dir)
		runDir = dir
		err = os.Chmod(dir, 0o755) // unprivileged users are part of the tests
	}
	for _, f := range prepare {
		if err == nil {
			err = f(dir)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nothing can be tested:", err)
		return 1
	}
	return m.Run()
}

// removeStale removes what runs left behind that were killed, which go test does after a time.
func removeStale(tmp string) {
	dirs, _ := filepath.Glob(filepath.Join(tmp, dirPrefix+"*"))
	for _, dir := range dirs {
		var pid int
		_, err := fmt.Sscanf(filepath.Base(dir), dirPrefix+"%d-", &pid)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

// Dir returns the directory for what all cases of a run share.
func Dir() string {
	if runDir == "" {
		panic("kit: TestMain has not called kit.Run")
	}
	return runDir
}

// TempDir makes a directory for one case. Other than that of [testing.T.TempDir] its path is short, for
// sockets, whose paths have at most 107 bytes, and every user may read it. It is below the run's directory,
// if there is one.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(runDir, "hw")
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Provide is a preparation for [Run]: it puts the program under test into the run's directory, the one that
// $HWRNGD names or a fresh build. It is copied because unprivileged users may not reach the original, and
// so that a run tests one program from its begin to its end.
func Provide(dir string) error {
	path, given := filepath.Join(dir, "hwrngd"), os.Getenv("HWRNGD")
	if given == "" {
		return Build(path, "github.com/hwrngd/hwrngd/cmd/hwrngd")
	}
	data, err := os.ReadFile(given)
	if err != nil {
		return fmt.Errorf("HWRNGD: %w", err)
	}
	return os.WriteFile(path, data, 0o755)
}

// Program returns the path of the program that [Provide] has put there.
func Program() string { return filepath.Join(Dir(), "hwrngd") }

// Build builds a package without C, as releases are.
func Build(path, pkg string) error {
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// Parallel lets n cases run at the same time if the command line does not say how many. It is for cases
// that wait more than they compute: the number of cores, which is go test's default, would only make
// them slow.
func Parallel(n int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}
