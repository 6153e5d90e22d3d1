package linux

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Device is a source device, open for reading. Its reads block, and a read of a hung driver
// cannot be interrupted, so only a goroutine that nobody waits for may call Read.
type Device struct {
	fd   int
	path string
	node Node
}

// OpenDevice opens path read-only (hw_random refuses any write mode), close-on-exec and never as
// controlling terminal. Opening a FIFO waits for its writer.
func OpenDevice(path string) (*Device, error) {
	fd, node, err := openNode(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &Device{fd: fd, path: path, node: node}, nil
}

// Node describes the opened file, which a path alone cannot do reliably.
func (d *Device) Node() Node { return d.node }

// Read makes one read system call, repeated only if a signal interrupts it. It may return fewer
// bytes than asked for. At the end of a file it returns io.EOF.
func (d *Device) Read(p []byte) (int, error) {
	n, err := retryEINTR(func() (int, error) { return unix.Read(d.fd, p) })
	if err != nil {
		return 0, &os.PathError{Op: "read", Path: d.path, Err: err}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close closes the descriptor. A read in progress in another goroutine goes on.
func (d *Device) Close() error { return unix.Close(d.fd) }
