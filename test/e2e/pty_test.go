package e2e

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// pty is a character device that a case owns: the daemon reads what is written to the master.
type pty struct {
	master *os.File
	slave  string
}

// newPTY is a pty that passes every byte as it is.
func newPTY(t testing.TB) *pty {
	t.Helper()
	p := newCookedPTY(t)
	mode := p.mode(t)
	mode.Iflag, mode.Oflag, mode.Lflag = 0, 0, 0
	mode.Cflag |= syscall.CS8
	mode.Cc[syscall.VMIN], mode.Cc[syscall.VTIME] = 1, 0
	control(t, p.master, syscall.TCSETS, unsafe.Pointer(&mode))
	return p
}

// mode returns the settings of the slave.
func (p *pty) mode(t testing.TB) (mode syscall.Termios) {
	t.Helper()
	control(t, p.master, syscall.TCGETS, unsafe.Pointer(&mode))
	return mode
}

// newCookedPTY is a pty as the kernel makes it, for somebody at a keyboard.
func newCookedPTY(t testing.TB) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("SKIPPED, NOT TESTED: no pseudo-terminal:", err)
	}
	t.Cleanup(func() { master.Close() })
	var number, unlock uint32
	for _, request := range []struct {
		number uintptr
		arg    unsafe.Pointer
	}{
		{syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)},
		{syscall.TIOCGPTN, unsafe.Pointer(&number)},
	} {
		control(t, master, request.number, request.arg)
	}
	return &pty{master, fmt.Sprintf("/dev/pts/%d", number)}
}

func control(t testing.TB, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
		t.Fatalf("ioctl %#x: %v", request, errno)
	}
}

// A character device behind a name that udev makes is unplugged, and plugged in again as another
// one: its reader gets the end of the file or an error, and the name leads elsewhere.
func TestCharacterDeviceUnplugged(t *testing.T) {
	t.Parallel()
	needRoot(t)
	b := newBench(t)
	plug := func() *pty {
		p := newPTY(t)
		if err := os.Symlink(p.slave, b.device); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(p.master, good()) }() // ends when the master is closed
		return p
	}
	p := plug()
	d := b.start("--refill-interval", "1s")
	d.reaches("active")
	before := d.scrape().credited()
	eventually(t, patience, "credit flows", func() bool { return d.scrape().credited() > before })

	p.master.Close()
	s := d.reaches("starting")
	if !strings.Contains(s.Reason, "gone") && !strings.Contains(s.Reason, "input/output error") && !strings.Contains(s.Reason, "no such file") {
		t.Errorf("reason %q", s.Reason)
	}
	if err := os.Remove(b.device); err != nil {
		t.Fatal(err)
	}
	before = d.scrape().credited()
	plug()
	d.reaches("active")
	eventually(t, patience, "credit flows again", func() bool { return d.scrape().credited() > before })
	d.atMost(0, "ERROR")
}
