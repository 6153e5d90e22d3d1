package kit

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// Update is the flag that writes golden files anew.
var Update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Golden compares a text with a golden file, and fails the test with what differs.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		WriteFile(t, path, got, 0o644)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s", path, diff.Diff(path, want, "got", []byte(got)))
	}
}
