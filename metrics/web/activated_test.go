package web

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"testing"
)

// passed returns sockets as a service manager passes them, one by TCP and one in the file system.
func passed(t *testing.T, path string) []*os.File {
	t.Helper()
	var files []*os.File
	for _, network := range []string{"tcp", "unix"} {
		ln, err := net.Listen(network, map[string]string{"tcp": "127.0.0.1:0", "unix": path}[network])
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := ln.(*net.UnixListener); ok {
			u.SetUnlinkOnClose(false)
		}
		f, err := ln.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		t.Cleanup(func() { f.Close() })
		files = append(files, f)
	}
	return files
}

func TestPassedSockets(t *testing.T) {
	path := t.TempDir() + "/s"
	o := okOptions()
	o.Sockets = passed(t, path)
	s, log := newTestServer(t, o)
	for range 2 { // the second time after they were given up
		listen(t, s, Systemd, "127.0.0.1:0")
		for i := range 3 {
			waitFor(t, s, i, "bound", isBound)
		}
		get(t, newClient(t, "tcp", s.Listeners()[0].Bound), "/-/healthy")
		get(t, newClient(t, "unix", path), "/-/healthy")
		listen(t, s)
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the service manager's socket file: %v", err)
		}
	}
	if log.count(slog.LevelWarn) != 0 {
		t.Error("warnings")
	}
}

func TestNoSocketPassed(t *testing.T) {
	s, log := newTestServer(t, okOptions())
	listen(t, s, Systemd)
	if status := waitFor(t, s, 0, "failed", isFailing); !errors.Is(status.Err, errNoSocket) {
		t.Errorf("status %+v", status)
	}
	if log.count(slog.LevelWarn) != 1 {
		t.Errorf("%d warnings, want 1", log.count(slog.LevelWarn))
	}
}
