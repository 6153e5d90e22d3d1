package kit

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// PTY is a pseudo-terminal. What is written to the master comes out of the line, and the other way round.
// The line is as the kernel makes it, for somebody at a keyboard.
type PTY struct {
	Master *os.File
	Line   string // /dev/pts/NUMBER
}

// OpenPTY makes a pseudo-terminal by a multiplexer such as /dev/ptmx.
func OpenPTY(ptmx string) (*PTY, error) {
	master, err := os.OpenFile(ptmx, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	var number, unlock uint32
	if err = Ioctl(master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)); err == nil {
		err = Ioctl(master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	}
	if err != nil {
		master.Close()
		return nil, err
	}
	return &PTY{master, fmt.Sprintf("/dev/pts/%d", number)}, nil
}

// NewPTY makes a pseudo-terminal for one case, which is skipped where there are none.
func NewPTY(t testing.TB) *PTY {
	t.Helper()
	p, err := OpenPTY("/dev/ptmx")
	if err != nil {
		Missing(t, "no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { p.Master.Close() })
	return p
}

// Mode returns the settings of the line.
func (p *PTY) Mode(t testing.TB) (mode syscall.Termios) {
	t.Helper()
	if err := Ioctl(p.Master, syscall.TCGETS, unsafe.Pointer(&mode)); err != nil {
		t.Fatal(err)
	}
	return mode
}

// SetRaw makes the line pass every byte as it is.
func (p *PTY) SetRaw() error {
	mode := syscall.Termios{Cflag: syscall.B38400 | syscall.CS8 | syscall.CREAD}
	mode.Cc[syscall.VMIN] = 1
	return Ioctl(p.Master, syscall.TCSETS, unsafe.Pointer(&mode))
}

// Unread returns how many bytes lie in a pipe or a terminal.
func Unread(f *os.File) (int, error) {
	var n int32
	err := Ioctl(f, syscall.TIOCINQ, unsafe.Pointer(&n)) // for a pipe it is FIONREAD, the same number
	return int(n), err
}

// Ioctl makes an ioctl that reads or fills arg. Other than [os.File.Fd] it leaves the file as it is: to close
// it still ends a read that waits.
func Ioctl(f *os.File, request uintptr, arg unsafe.Pointer) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	if err := conn.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg))
	}); err != nil {
		return err
	}
	if errno != 0 {
		return &os.PathError{Op: fmt.Sprintf("ioctl %#x", request), Path: f.Name(), Err: errno}
	}
	return nil
}
