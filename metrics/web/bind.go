package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

const (
	// maxConnections bounds what one listener's clients can cost the daemon in memory and
	// descriptors. A scraper needs one connection, a second one while it reconnects.
	maxConnections = 64
	// probeTimeout bounds the look whether a socket file has a live process behind it.
	probeTimeout = time.Second
)

// open opens the socket of a, or takes one that was passed.
func (s *Server) open(ctx context.Context, a address) (ln net.Listener, err error) {
	switch a.network {
	case Systemd:
		ln, err = adopt(s.sockets, a.socket)
	case "unix":
		ln, err = listenUnix(ctx, a.target)
	default:
		ln, err = listenTCP(ctx, a.target)
	}
	if err != nil {
		return nil, err
	}
	return limitConnections(ln, maxConnections), nil
}

func listenTCP(ctx context.Context, hostport string) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", hostport)
}

// listenUnix opens a socket file that the owner and the group may use.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	// Linux gives the file the mode of the unbound socket, so nobody else can connect in the
	// moment between bind and chmod, whatever the umask is.
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var chmodErr error
		err := c.Control(func(fd uintptr) { chmodErr = syscall.Fchmod(int(fd), 0o600) })
		return errors.Join(err, chmodErr)
	}}
	ln, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o660); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// removeStale removes the socket file at path if the process that made it is gone. Only a
// refused connection proves that; a file that is no socket is never touched.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != os.ModeSocket {
		return fmt.Errorf("listen unix %s: the file exists and is not a socket", path)
	}
	dialer := net.Dialer{Timeout: probeTimeout}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		conn.Close()
		return fmt.Errorf("listen unix %s: another process listens there: %w", path, syscall.EADDRINUSE)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}
