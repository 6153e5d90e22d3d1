package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/metrics/web"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestPassedSockets: a daemon started as systemd does, with a socket as its descriptor 3, serves on that one,
// and only if the socket is meant for it.
func TestPassedSockets(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, pid, want string }{
		{"for this process", "$$", "metrics listener up"},
		{"for another process", "1", "the service manager passed no socket"},
		{"without a description", "", "the service manager passed no socket"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			socket, err := ln.File()
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()
			log, err := os.Create(filepath.Join(dir, "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			link := filepath.Join(dir, "hwrngd")
			if err := os.Symlink(exe, link); err != nil {
				t.Fatal(err)
			}
			// The process has its number only once it runs, as with systemd.
			cmd := exec.Command("/bin/sh", "-c", `LISTEN_PID=`+test.pid+` LISTEN_FDS=1 exec "$@"`, "sh", link, "run",
				"--config="+os.DevNull, "--monitor", "--sources=hwrng", "--hwrng-device="+filepath.Join(dir, "none"), "--sysfs="+dir,
				"--runtime-dir="+filepath.Join(dir, "run"), "--metrics-listen="+web.Systemd, "--log-format=console")
			cmd.Stderr = log
			cmd.ExtraFiles = []*os.File{socket}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Signal(os.Interrupt)
				_ = cmd.Wait()
			}()
			for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				text := kit.ReadFile(t, log.Name())
				if strings.Contains(text, test.want) {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("not logged: %s; but %s", test.want, text)
				}
			}
		})
	}
}
