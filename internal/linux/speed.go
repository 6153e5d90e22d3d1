package linux

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// speeds are the codes of termios(3) for line speeds in bits a second. The numbers behind the names
// differ between architectures.
var speeds = map[int]uint32{
	110: unix.B110, 300: unix.B300, 600: unix.B600, 1200: unix.B1200, 2400: unix.B2400, 4800: unix.B4800,
	9600: unix.B9600, 19200: unix.B19200, 38400: unix.B38400, 57600: unix.B57600, 115200: unix.B115200,
	230400: unix.B230400, 460800: unix.B460800, 500000: unix.B500000, 576000: unix.B576000, 921600: unix.B921600,
	1000000: unix.B1000000, 1152000: unix.B1152000, 1500000: unix.B1500000, 2000000: unix.B2000000,
	2500000: unix.B2500000, 3000000: unix.B3000000, 3500000: unix.B3500000, 4000000: unix.B4000000,
}

// LineSpeeds returns the speeds that a terminal line can be asked for, in bits a second, slowest first.
func LineSpeeds() []int { return slices.Sorted(maps.Keys(speeds)) }

// SetSpeed sets the speed in both directions, one of [LineSpeeds], until Release. It fails if the
// driver keeps another one: what is read at the wrong speed looks like bad noise.
func (l *Line) SetSpeed(bitsPerSecond int) error {
	code, ok := speeds[bitsPerSecond]
	if !ok {
		return fmt.Errorf("set speed of %s: %d is none of %d bits a second", l.device.path, bitsPerSecond, LineSpeeds())
	}
	mode, err := unix.IoctlGetTermios(l.device.fd, unix.TCGETS)
	if err != nil {
		return &os.PathError{Op: "get settings of", Path: l.device.path, Err: err}
	}
	mode.Cflag = mode.Cflag&^(unix.CBAUD|unix.CIBAUD) | code // no input speed means that of output
	if err := unix.IoctlSetTermios(l.device.fd, unix.TCSETS, mode); err != nil {
		return &os.PathError{Op: "set speed of", Path: l.device.path, Err: err}
	}
	now, err := unix.IoctlGetTermios(l.device.fd, unix.TCGETS)
	if err != nil {
		return &os.PathError{Op: "get settings of", Path: l.device.path, Err: err}
	}
	if now.Cflag&unix.CBAUD != code {
		return fmt.Errorf("set speed of %s: the driver does not do %d bits a second", l.device.path, bitsPerSecond)
	}
	return nil
}
