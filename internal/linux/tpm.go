package linux

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// TPM is the character device of a TPM, open for commands. The driver waits in the kernel for the chip,
// where nothing interrupts it, so only a goroutine that nobody waits for may call Exchange.
type TPM struct {
	fd   int
	path string
	node Node
}

// OpenTPM opens path, such as /dev/tpmrm0, for reading and writing. /dev/tpm0 can be open only once and is
// refused with EBUSY while somebody has it; the resource manager behind /dev/tpmrm0 serves many.
func OpenTPM(path string) (*TPM, error) {
	fd, node, err := openNode(path, unix.O_RDWR)
	if err != nil {
		return nil, err
	}
	return &TPM{fd: fd, path: path, node: node}, nil
}

// Node describes the opened file, which a path alone cannot do reliably.
func (t *TPM) Node() Node { return t.node }

// Exchange sends one command and returns the length of the answer. The driver takes a command by one write,
// and what one read does not fetch of its answer some kernels drop. An empty answer is io.EOF.
func (t *TPM) Exchange(command, answer []byte) (int, error) {
	n, err := retryEINTR(func() (int, error) { return unix.Write(t.fd, command) })
	if err == nil && n < len(command) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return 0, &os.PathError{Op: "write", Path: t.path, Err: err}
	}
	n, err = retryEINTR(func() (int, error) { return unix.Read(t.fd, answer) })
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return 0, &os.PathError{Op: "read", Path: t.path, Err: err}
	}
	return n, nil
}

// Close closes the descriptor.
func (t *TPM) Close() error { return unix.Close(t.fd) }

// CharDevice returns the class of a character device and its name there, such as "tpmrm" and "tpmrm0"; both
// are "" if the kernel shows no such device (dev/char).
func (s Sysfs) CharDevice(n Node) (class, name string) {
	if s == "" || n.Type != CharDevice {
		return "", ""
	}
	link := filepath.Join(string(s), "dev", "char", fmt.Sprintf("%d:%d", n.Major, n.Minor))
	target, err := os.Readlink(link)
	if err != nil {
		return "", ""
	}
	if subsystem, err := os.Readlink(filepath.Join(link, "subsystem")); err == nil {
		class = filepath.Base(subsystem)
	}
	return class, filepath.Base(target)
}

// TPMVersion returns the major version of the TPM with that number, 1 or 2, and 0 where the kernel does not
// tell (class/tpm/tpmN/tpm_version_major, since 5.6).
func (s Sysfs) TPMVersion(number string) int {
	version, err := readInt(string(s), "class/tpm/tpm"+number, "tpm_version_major")
	if err != nil {
		return 0
	}
	return version
}
