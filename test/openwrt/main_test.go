package openwrt

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	tree  = "../.." // the root of the source tree, as seen from here
	files = tree + "/packaging/openwrt/files/"
)

// The programs of the cases.
var program, standin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hwrngd-openwrt-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	standin = filepath.Join(dir, "standin")
	packages := map[string]string{standin: "./standin"}
	if program = os.Getenv("HWRNGD"); program == "" {
		program = filepath.Join(dir, "hwrngd")
		packages[program] = tree + "/cmd/hwrngd"
	}
	for out, pkg := range packages {
		build := exec.Command("go", "build", "-o", out, pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "nothing to test with: %v\n%s", err, text)
			return 1
		}
	}
	return m.Run()
}

// missing skips a case that cannot run here, or fails it where that is not allowed.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("HWRNGD_REQUIRE_OPENWRT") == "1" {
		t.Fatalf("HWRNGD_REQUIRE_OPENWRT=1, but "+format, args...)
	}
	t.Skipf("SKIPPED, NOT TESTED: "+format, args...)
}

// patience is how long a case waits for what must come. It costs nothing where all is well.
const patience = time.Minute

// eventually waits until cond holds, and fails the case if it does not.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// golden compares text with testdata/golden/NAME.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		writeFile(t, path, text, 0o644)
		return
	}
	if want := readFile(t, path); text != want {
		t.Errorf("%s differs, see the -update flag. Got:\n%s\nwant:\n%s", path, text, want)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
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
