package linux

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// InUseError reports that another process has a terminal line for itself.
type InUseError struct {
	Path string
	By   string // the process, "" if not known
}

func (e *InUseError) Error() string {
	by := e.By
	if by == "" {
		by = "another process"
	}
	return e.Path + " is in use by " + by
}

// Line is a terminal line, such as a serial port, that delivers bytes as they come and that this
// process has for itself: two readers of one line would each get a part of the stream.
type Line struct {
	device *Device
	before unix.Termios
}

// IsTTY tells whether the device is a terminal line.
func (d *Device) IsTTY() bool {
	if d.node.Type != CharDevice {
		return false
	}
	_, err := unix.IoctlGetTermios(d.fd, unix.TCGETS)
	return err == nil
}

// TakeLine makes the device, which IsTTY, raw and exclusive until Release, and drops what came before
// that. It returns an [*InUseError] if another process holds a lock (flock) on the line or has made it
// exclusive (TIOCEXCL), and refuses the terminal that controls this process, whose keys would no
// longer make signals. The speed stays what it is.
func (d *Device) TakeLine() (*Line, error) {
	if _, err := unix.IoctlGetUint32(d.fd, unix.TIOCGSID); err == nil {
		return nil, fmt.Errorf("%s is the terminal that this program runs in", d.path)
	}
	_, err := retryEINTR(func() (int, error) { return 0, unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, &InUseError{Path: d.path}
	}
	if err != nil {
		return nil, &os.PathError{Op: "flock", Path: d.path, Err: err}
	}
	l := &Line{device: d}
	if err := l.take(); err != nil {
		_ = unix.Flock(d.fd, unix.LOCK_UN)
		return nil, err
	}
	return l, nil
}

func (l *Line) take() error {
	d := l.device
	// The kernel keeps out whoever opens an exclusive line, but for root, who has to ask.
	if exclusive, err := unix.IoctlGetUint32(d.fd, unix.TIOCGEXCL); err == nil && exclusive != 0 {
		return &InUseError{Path: d.path}
	}
	before, err := unix.IoctlGetTermios(d.fd, unix.TCGETS)
	if err != nil {
		return &os.PathError{Op: "get settings of", Path: d.path, Err: err}
	}
	l.before = *before
	if err := unix.IoctlSetInt(d.fd, unix.TIOCEXCL, 0); err != nil {
		return &os.PathError{Op: "make exclusive", Path: d.path, Err: err}
	}
	err = l.setRaw()
	if err != nil {
		_ = l.Release() // the error that led here matters more
		return &os.PathError{Op: "set to raw mode", Path: d.path, Err: err}
	}
	// What came in another mode may lack bytes. This does not wait for output, as TCSETSF does.
	if err := unix.IoctlSetInt(d.fd, unix.TCFLSH, unix.TCIFLUSH); err != nil {
		_ = l.Release()
		return &os.PathError{Op: "flush", Path: d.path, Err: err}
	}
	return nil
}

// setRaw sets the line so that every byte value passes and looks at what the driver made of it: the
// call succeeds if it could make any of the changes.
func (l *Line) setRaw() error {
	raw := rawMode(l.before)
	if err := unix.IoctlSetTermios(l.device.fd, unix.TCSETS, &raw); err != nil {
		return err
	}
	now, err := unix.IoctlGetTermios(l.device.fd, unix.TCGETS)
	if err != nil {
		return err
	}
	if now.Iflag != raw.Iflag || now.Lflag != raw.Lflag || now.Cflag&(unix.CSIZE|unix.PARENB) != unix.CS8 {
		return errors.New("the driver did not accept it")
	}
	return nil
}

// rawMode is t without any treatment of input: no special characters, no signals, no flow control,
// no echo, no marks for parity errors, 8 bits; a read returns as soon as there is one byte.
func rawMode(t unix.Termios) unix.Termios {
	t.Iflag, t.Lflag = 0, 0
	t.Oflag &^= unix.OPOST
	t.Cflag &^= unix.CSIZE | unix.PARENB | unix.CRTSCTS
	t.Cflag |= unix.CS8 | unix.CREAD | unix.CLOCAL
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return t
}

// Release gives the line back as it was found. The device stays open, for a read of it may be in
// progress.
func (l *Line) Release() error {
	fd := l.device.fd
	err := unix.IoctlSetTermios(fd, unix.TCSETS, &l.before)
	if err != nil {
		err = &os.PathError{Op: "restore settings of", Path: l.device.path, Err: err}
	}
	_ = unix.IoctlSetInt(fd, unix.TIOCNXCL, 0) // ends with the last close anyway
	_ = unix.Flock(fd, unix.LOCK_UN)           // likewise
	return err
}
