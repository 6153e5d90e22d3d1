package systemd

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// program is the binary under test.
var program string

// tree is the root of the source tree, as seen from here.
const tree = "../.."

// fetchEnv makes the test binary fetch a page and print it: nsenter starts it in a machine's network.
const fetchEnv = "HWRNGD_SYSTEMD_FETCH"

func TestMain(m *testing.M) {
	if url := os.Getenv(fetchEnv); url != "" {
		os.Exit(fetch(url))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if program = os.Getenv("HWRNGD"); program == "" {
		dir, err := os.MkdirTemp("", "hwrngd-systemd-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "hwrngd")
		build := exec.Command("go", "build", "-o", program, "github.com/hwrngd/hwrngd/cmd/hwrngd")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "no binary to test: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// missing skips a case that cannot run here, or fails it where that is not allowed.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("HWRNGD_REQUIRE_SYSTEMD") == "1" {
		t.Fatalf("HWRNGD_REQUIRE_SYSTEMD=1, but "+format, args...)
	}
	t.Skipf("SKIPPED, NOT TESTED: "+format, args...)
}

// patience is how long a case waits for what must come. It costs nothing where all is well.
const patience = 30 * time.Second

// eventually waits until cond holds, and fails the case if it does not.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(data), mode)
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
