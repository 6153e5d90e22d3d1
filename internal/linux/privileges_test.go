package linux

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// threads starts threads that were there before the privileges go.
func threads(n int) {
	for range n {
		go func() {
			runtime.LockOSThread()
			select {}
		}()
	}
	runtime.Gosched()
}

func childDropPrivileges([]string) error {
	threads(3)
	if err := DropPrivileges(CapSysAdmin, CapKill); err != nil {
		return err
	}
	threads(1)
	files, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(files) < 4 {
		return fmt.Errorf("%d threads: %w", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			switch key, value, _ := strings.Cut(strings.TrimSpace(line), ":\t"); key {
			case "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs":
				fmt.Println(key, value)
			}
		}
	}
	return nil
}

// TestDropPrivileges looks at every thread of a process that gave up all but two of root's privileges.
func TestDropPrivileges(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, who has something to give up")
	}
	out, err := child(t, "drop-privileges").CombinedOutput()
	if strings.Contains(string(out), ErrThreads.Error()) {
		t.Skip("this test is linked with C code")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const two = "0000000000200020" // bit 21, CAP_SYS_ADMIN, and 5, CAP_KILL
	want := map[string]string{
		"CapInh": "0000000000000000", "CapPrm": two, "CapEff": two, "CapBnd": two, "CapAmb": "0000000000000000", "NoNewPrivs": "1",
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 4*len(want) {
		t.Errorf("too little: %s", out)
	}
	for _, line := range lines {
		if key, value, _ := strings.Cut(line, " "); want[key] != value {
			t.Errorf("%s is %s, want %s", key, value, want[key])
		}
	}
}

// Without privileges there is nothing to give up, which is no error.
func TestDropPrivilegesUnprivileged(t *testing.T) {
	out, err := asNobody(t, child(t, "drop-privileges")).CombinedOutput()
	if strings.Contains(string(out), ErrThreads.Error()) {
		t.Skip("this test is linked with C code")
	}
	if err != nil || !strings.Contains(string(out), "CapEff 0000000000000000") {
		t.Errorf("%v: %s", err, out)
	}
}
