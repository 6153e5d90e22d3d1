package kit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Run(m, Provide)) }

// What a run that was killed has left goes, and nothing else.
func TestRemoveStale(t *testing.T) {
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	for name, stays := range map[string]bool{
		fmt.Sprintf("%s%d-1", dirPrefix, child.Process.Pid): false,
		fmt.Sprintf("%s%d-1", dirPrefix, os.Getpid()):       true,
		dirPrefix + "other": true,
		"other":             true,
	} {
		WriteFile(t, filepath.Join(tmp, name, "file"), "", 0o644)
		removeStale(tmp)
		if _, err := os.Stat(filepath.Join(tmp, name)); errors.Is(err, os.ErrNotExist) == stays {
			t.Errorf("%s: %v, stays: %v", name, err, stays)
		}
	}
}

func TestProvide(t *testing.T) {
	if out, err := exec.Command(Program(), "version").CombinedOutput(); err != nil || !strings.Contains(string(out), "\nbuilt with ") {
		t.Errorf("the program under test: %v\n%s", err, out)
	}
	given := filepath.Join(t.TempDir(), "given")
	WriteFile(t, given, "program", 0o600)
	t.Setenv("HWRNGD", given)
	dir := t.TempDir()
	if err := Provide(dir); err != nil || ReadFile(t, filepath.Join(dir, "hwrngd")) != "program" {
		t.Errorf("the given program: %v", err)
	}
	t.Setenv("HWRNGD", given+"/none")
	if err := Provide(dir); err == nil || !strings.Contains(err.Error(), "HWRNGD") {
		t.Errorf("no such program: %v", err)
	}
	if err := Build(filepath.Join(dir, "x"), "./none"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("no such package: %v", err)
	}
}
