package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/hwrngd/hwrngd/pool"
)

// statusTimeout bounds one exchange over the status socket, on both sides.
const statusTimeout = time.Second

// maxStatus bounds what a client reads, in bytes.
const maxStatus = 1 << 20

func statusPath(runtimeDir string) string { return filepath.Join(runtimeDir, "status.sock") }

// serveStatus answers every connection to the status socket with the daemon's status as one JSON
// document. It reads nothing from its clients, so there is nothing to attack; any user may ask.
// The caller holds the lock of the runtime directory, so a socket that lies there is a dead one.
func serveStatus(runtimeDir string, status func() *pool.Status, log *slog.Logger) (io.Closer, error) {
	path := statusPath(runtimeDir)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o666); err != nil {
		l.Close()
		return nil, err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				log.Warn("status socket", "reason", err.Error())
				time.Sleep(statusTimeout) // out of descriptors: give others time to close some
				continue
			}
			answer(conn, status())
		}
	}()
	return l, nil
}

func answer(conn net.Conn, s *pool.Status) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	_ = json.NewEncoder(conn).Encode(s) // a client that went away misses nothing
}

// askStatus asks the daemon that runs with this runtime directory. Without one the error is
// os.ErrNotExist or a refused connection.
func askStatus(runtimeDir string) (*pool.Status, error) {
	path := statusPath(runtimeDir)
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(statusTimeout))
	var s pool.Status
	text, err := io.ReadAll(io.LimitReader(conn, maxStatus+1))
	if err == nil && len(text) > maxStatus {
		err = fmt.Errorf("it is longer than %d bytes", maxStatus)
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("no valid status from %s: %w", path, err)
	}
	return &s, nil
}
