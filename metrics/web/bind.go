package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// maxConnections bounds what one listener's clients can cost the daemon in memory and
// descriptors. A scraper needs one connection, a second one while it reconnects.
const maxConnections = 64

// open opens the socket of a, or takes one that was passed.
func (s *Server) open(ctx context.Context, a address) (ln net.Listener, err error) {
	switch a.network {
	case Systemd:
		ln, err = adopt(s.sockets, a.socket)
	case "unix":
		ln, err = listenUnix(a.target)
	default:
		ln, err = listenTCP(ctx, a.target)
	}
	if err != nil {
		return nil, err
	}
	return limitConnections(ln, maxConnections), nil
}

// TryListen tells why a TCP address cannot be listened on now, nil if it can.
func TryListen(hostport string) error {
	ln, err := listenTCP(context.Background(), hostport)
	if err != nil {
		return err
	}
	return ln.Close()
}

// listenUnix opens a socket file that the owner and the group may use.
func listenUnix(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	socket, err := unixSocket(path)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: "unix", Addr: &net.UnixAddr{Name: path, Net: "unix"}, Err: err}
	}
	defer socket.Close()
	ln, err := net.FileListener(socket) // with a descriptor of its own
	if err != nil {
		return nil, err
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(true)
	if err := os.Chmod(path, 0o660); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// unixSocket returns a socket that listens at path, where only its owner may connect. [net.ListenConfig]
// could do the same, but has the resolver of host names with it.
func unixSocket(path string) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	socket := os.NewFile(uintptr(fd), path)
	// Linux gives the file the mode of the unbound socket, so nobody else can connect in the
	// moment between bind and chmod, whatever the umask is.
	if err = os.NewSyscallError("fchmod", syscall.Fchmod(fd, 0o600)); err == nil {
		err = os.NewSyscallError("bind", syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
	}
	if err == nil {
		err = os.NewSyscallError("listen", syscall.Listen(fd, maxConnections))
	}
	if err != nil {
		socket.Close()
		return nil, err
	}
	return socket, nil
}

// removeStale removes the socket file at path if the process that made it is gone. Only a
// refused connection proves that; a file that is no socket is never touched.
func removeStale(path string) error {
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
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"}) // never waits
	if err == nil {
		conn.Close()
		return fmt.Errorf("listen unix %s: another process listens there: %w", path, syscall.EADDRINUSE)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}
