package web

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.sock")
	s, _ := newTestServer(t, okOptions())
	listen(t, s, "unix:"+path)
	if status := waitFor(t, s, 0, "bound", isBound); status.Bound != path {
		t.Errorf("bound to %s", status.Bound)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o660 {
		t.Errorf("mode %o, want 660", mode)
	}
	if body := get(t, newClient(t, "unix", path), "/-/ready"); !strings.Contains(body, "true") {
		t.Errorf("body %q", body)
	}
	s.Close()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket file is still there: %v", err)
	}
}

func TestStaleUnixSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false) // as a killed process leaves it
	dead.Close()

	s, _ := newTestServer(t, okOptions())
	listen(t, s, "unix:"+path)
	waitFor(t, s, 0, "bound", isBound)
	get(t, newClient(t, "unix", path), "/-/healthy")
}

func TestLiveUnixSocketIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.sock")
	live, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()

	s, _ := newTestServer(t, okOptions())
	listen(t, s, "unix:"+path)
	if status := waitFor(t, s, 0, "failed", isFailing); !errors.Is(status.Err, syscall.EADDRINUSE) {
		t.Errorf("error %v", status.Err)
	}
	if conn, err := net.Dial("unix", path); err != nil {
		t.Errorf("the other process lost its socket: %v", err)
	} else {
		conn.Close()
	}
	live.Close()
	waitFor(t, s, 0, "bound", isBound)
}

// A socket of another type, such as a syslog's, does not answer but is no less alive.
func TestDatagramSocketIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dev-log")
	live, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()

	s, _ := newTestServer(t, okOptions())
	listen(t, s, "unix:"+path)
	waitFor(t, s, 0, "failed", isFailing)
	if conn, err := net.Dial("unixgram", path); err != nil {
		t.Errorf("the other process lost its socket: %v", err)
	} else {
		conn.Close()
	}
}

func TestOtherFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := newTestServer(t, okOptions())
	listen(t, s, "unix:"+path)
	if status := waitFor(t, s, 0, "failed", isFailing); !strings.Contains(status.Err.Error(), "not a socket") {
		t.Errorf("error %v", status.Err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "keep" {
		t.Errorf("the file changed: %q, %v", data, err)
	}
}
