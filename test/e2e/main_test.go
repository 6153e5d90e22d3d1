package e2e

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// parallelCases is how many cases run at the same time. They wait more than they compute.
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
	kit.Parallel(parallelCases)
	os.Exit(kit.Run(m, kit.Provide))
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
