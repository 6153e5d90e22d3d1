package tty

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

// initLimit is how long a device may take to accept the init string.
const initLimit = 2 * time.Second

// open takes the line for the source, if it still is that node. Errors are an
// [*source.UnavailableError]. It runs on the reader's goroutine.
func (o Options) open(node linux.Node) (stream.Stream, error) {
	p, err := linux.OpenPort(o.Device, linux.PortOptions{Speed: o.Speed, Modem: linux.ModemLines(o.Modem), Write: o.Init != ""}, o.Procfs)
	if err != nil {
		return nil, unavailable(err, o.Device)
	}
	if !p.Node().Same(node) { // the path leads elsewhere by now, which the next look at it tells
		p.Close()
		return nil, nil
	}
	if o.Init == "" {
		return p, nil
	}
	if err := p.Write([]byte(o.Init), initLimit); err != nil {
		p.Close()
		u := unavailable(err, o.Device)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			u.Reason = fmt.Sprintf("%s did not take the init string within %s", o.Device, initLimit)
			u.Hint = "is this the line of the device that the init string is for?"
		}
		return nil, u
	}
	return p, nil
}

// unavailable says why a line cannot be opened.
func unavailable(err error, path string) *source.UnavailableError {
	u := &source.UnavailableError{Reason: err.Error(), Err: err}
	var (
		inUse   *linux.InUseError
		notLine *linux.NotLineError
	)
	switch {
	case errors.As(err, &inUse):
		u.Hint = "a line has one reader, two would each get a part of the data: stop the other one, or let it have the device"
	case errors.As(err, &notLine):
		u.Denied = true
		u.Hint = "configure a serial line, best by its link below /dev/serial/by-id; other devices are for the hwrng source"
	case errors.Is(err, fs.ErrNotExist):
		u.Hint = "the device is not plugged in, or its driver (cdc_acm, ftdi_sio, cp210x) is not loaded"
	case errors.Is(err, fs.ErrPermission):
		u.Hint = fmt.Sprintf("let the daemon read and write the line: by the group that owns it, often dialout, or by a udev rule for %s", filepath.Base(path))
	}
	return u
}
