package linux

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childLock takes the lock, says so, and holds it until its standard input ends.
func childLock(args []string) error {
	l, err := TryLock(args[0])
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("permission: %w", err)
		}
		return err
	}
	fmt.Println("locked")
	io.Copy(io.Discard, os.Stdin)
	return l.Release()
}

// childFlock does what any program could: lock a file that it may only read.
func childFlock(args []string) error {
	fd, err := unix.Open(args[0], unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	fmt.Println("locked")
	return nil
}

func TestLockBetweenProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	// An old, longer number must not show through.
	if err := os.WriteFile(path, []byte("123456789012\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	holder := child(t, "lock", path)
	if line := start(t, holder); line != "locked" {
		t.Fatal(line)
	}
	for range 2 {
		noLeak(t, func() {
			_, err := TryLock(path)
			var locked *LockedError
			if !errors.As(err, &locked) {
				t.Fatalf("got %v, want a LockedError", err)
			}
			if locked.PID != holder.Process.Pid || locked.Path != path {
				t.Errorf("got %+v, want process %d", locked, holder.Process.Pid)
			}
			if want := fmt.Sprintf("lock %s: held by process %d", path, holder.Process.Pid); err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}

	// A killed process cleans up nothing; the kernel does.
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var l *Lock
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		var err error
		if l, err = TryLock(path); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("still locked after its holder was killed: %v", err)
		}
	}
	if got := output(t, child(t, "lock", path)); got != fmt.Sprintf("lock %s: held by process %d", path, os.Getpid()) {
		t.Errorf("the other process says %q", got)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if line := start(t, child(t, "lock", path)); line != "locked" {
		t.Errorf("after the release the other process says %q", line)
	}
}

func TestLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	noLeak(t, func() {
		l, err := TryLock(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Release()
		if text, err := os.ReadFile(path); err != nil || string(text) != strconv.Itoa(os.Getpid())+"\n" {
			t.Errorf("file holds %q, %v", text, err)
		}
		var locked *LockedError
		if _, err := TryLock(path); !errors.As(err, &locked) || locked.PID != os.Getpid() {
			t.Errorf("second lock of the same process: %v", err)
		}
	})
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file must stay: %v", err)
	}
}

// Whatever the holder wrote, the answer is that the lock is held.
func TestLockedErrorPID(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          int
	}{
		{"number", "4711\n", 4711},
		{"no newline", "4711", 4711},
		{"empty", "", 0},
		{"text", "somebody\n", 0},
		{"long", fmt.Sprintf("%064d", 1), 0},
		{"zeros", "\x00\x00\x00", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			l, err := TryLock(path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Release()
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = TryLock(path)
			var locked *LockedError
			if !errors.As(err, &locked) || locked.PID != c.want {
				t.Fatalf("got %v, want process %d", err, c.want)
			}
			if c.want == 0 && err.Error() != "lock "+path+": held by another process" {
				t.Error(err)
			}
		})
	}
}

func TestLockErrors(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		path string
		want error
	}{
		"missing directory": {filepath.Join(dir, "missing", "lock"), os.ErrNotExist},
		"directory":         {dir, unix.EISDIR},
	} {
		if _, err := TryLock(c.path); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

func TestLockUnreadableDirectory(t *testing.T) {
	dir := t.TempDir() // closed to others by its mode, 0700, or its parent's
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	got := output(t, asNobody(t, child(t, "lock", filepath.Join(dir, "lock"))))
	if want := "permission: open " + filepath.Join(dir, "lock") + ": permission denied"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// flock(2) asks for no write access. So a file that everybody may read is one that everybody may
// lock, and any user could keep the daemon from starting.
func TestLockNotForOthers(t *testing.T) {
	dir, err := os.MkdirTemp("", "hwrngd-lock-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // as /run/hwrngd is
		t.Fatal(err)
	}
	path := filepath.Join(dir, "lock")
	l, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	if got := output(t, asNobody(t, child(t, "flock", path))); got != "permission denied" {
		t.Errorf("another user who locks the file gets %q", got)
	}
}
