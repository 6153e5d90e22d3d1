package linux

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// NotLineError reports a file that is no terminal line.
type NotLineError struct {
	Path string
	Node Node
}

func (e *NotLineError) Error() string {
	return e.Path + " is no terminal line but a " + e.Node.String()
}

// Port is a [Line] that is open for a source. A read of it waits in the runtime's poller and not in the
// kernel, so that it can be interrupted; open, close and the settings can still hang in a driver.
type Port struct {
	*Line
	file *os.File
}

// ModemLines says what becomes of the modem lines DTR and RTS when a port is opened. Most drivers raise them
// by themselves then.
type ModemLines string

// What may become of them.
const (
	RaiseLines ModemLines = "raise" // without which some devices do not send
	LowerLines ModemLines = "lower" // which keep some boards in reset otherwise
	KeepLines  ModemLines = "keep"  // as the driver leaves them
)

// PortOptions say how a port is opened.
type PortOptions struct {
	Speed int        // in bits a second, 0 to leave it as it is
	Modem ModemLines // "" stands for RaiseLines
	Write bool       // the port can be written to
}

// OpenPort opens path and makes it raw and exclusive. It does not wait for a carrier. The last close lowers the
// modem lines if the line is set up so (HUPCL), which is left as found.
//
// Errors are those of [Device.TakeLine], a [*NotLineError], and an [*InUseError] also for a line that
// somebody has open without a lock, as far as proc shows it. Then nothing of the line was changed.
func OpenPort(path string, opt PortOptions, proc Procfs) (*Port, error) {
	flags := unix.O_RDONLY
	if opt.Write {
		flags = unix.O_RDWR
	}
	fd, node, err := openNode(path, flags|unix.O_NONBLOCK)
	if errors.Is(err, unix.EBUSY) {
		return nil, &InUseError{Path: path}
	}
	if err != nil {
		return nil, err
	}
	d := &Device{fd: fd, path: path, node: node}
	if !d.IsTTY() {
		defer d.Close()
		// A line that has hung up, or a port without a chip, does not answer as one.
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); errors.Is(err, unix.EIO) {
			return nil, &os.PathError{Op: "get settings of", Path: path, Err: err}
		}
		return nil, &NotLineError{path, node}
	}
	if holder, found := proc.deviceHolder(d); found {
		d.Close()
		return nil, &InUseError{path, holder.String()}
	}
	line, err := d.TakeLine()
	if err != nil {
		d.Close()
		return nil, err
	}
	p := &Port{Line: line, file: os.NewFile(uintptr(fd), path)}
	if opt.Speed != 0 {
		err = line.SetSpeed(opt.Speed)
	}
	if err == nil {
		err = p.file.SetDeadline(time.Time{}) // fails if the runtime cannot poll it
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	var change uint
	switch opt.Modem {
	case RaiseLines, "":
		change = unix.TIOCMBIS
	case LowerLines:
		change = unix.TIOCMBIC
	case KeepLines:
		return p, nil
	}
	// Lines without modem lines, such as pseudo terminals, refuse this.
	_ = unix.IoctlSetPointerInt(fd, change, unix.TIOCM_DTR|unix.TIOCM_RTS)
	return p, nil
}

// Node describes the opened file.
func (p *Port) Node() Node { return p.device.node }

// Read waits for at least one byte. It returns io.EOF or an error of EIO after a hang-up, and
// os.ErrDeadlineExceeded after Interrupt.
func (p *Port) Read(b []byte) (int, error) { return p.file.Read(b) }

// Write writes all of b within limit, else it returns an error of os.ErrDeadlineExceeded.
func (p *Port) Write(b []byte, limit time.Duration) error {
	if err := p.file.SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	_, err := p.file.Write(b)
	return err
}

// Flush drops what has come and was not read.
func (p *Port) Flush() error {
	if err := unix.IoctlSetInt(p.device.fd, unix.TCFLSH, unix.TCIFLUSH); err != nil {
		return &os.PathError{Op: "flush", Path: p.device.path, Err: err}
	}
	return nil
}

// Interrupt ends a read in progress and every later one. It may be called from any goroutine.
func (p *Port) Interrupt() {
	_ = p.file.SetReadDeadline(time.Unix(1, 0)) // fails only once the port is closed
}

// Close gives the line back as it was found and closes it.
func (p *Port) Close() error {
	// What is not sent by now never will be, and the close would wait for it, 30 s by default.
	_ = unix.IoctlSetInt(p.device.fd, unix.TCFLSH, unix.TCOFLUSH)
	return errors.Join(p.Release(), p.file.Close())
}
