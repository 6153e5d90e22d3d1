//go:build !minimal

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// The kinds of input.
const (
	kindFile     = "file"
	kindDevice   = "device"
	kindTerminal = "tty"
	kindPipe     = "pipe"
	kindSource   = "source"
)

// stdinName is standard input in reports.
const stdinName = "standard input"

// auditInput is what an audit reads.
type auditInput struct {
	name   string // for people
	kind   string
	node   linux.Node
	size   int64         // of a file, for the progress
	source *sourceReader // of kindSource
	reader io.Reader     // nil until it is open
	close  func()        // gives back what open has taken; a Read may be in progress
}

// ends tells whether the input comes to an end by itself.
func (in *auditInput) ends() bool { return in.kind == kindFile || in.kind == kindPipe }

// live tells whether the data are made while they are read, so that their times say something.
func (in *auditInput) live() bool {
	return in.kind == kindDevice || in.kind == kindTerminal || in.kind == kindSource
}

// findInput says what the argument of audit means, without opening anything.
func (inv *Invocation) findInput(cfg *Config) (*auditInput, error) {
	in := &auditInput{name: stdinName, kind: kindPipe, close: func() {}}
	if len(inv.Args) > 0 && inv.Args[0] != hwrng.Name && slices.Contains(sourceNames(), inv.Args[0]) {
		in.name, in.kind = inv.Args[0], kindSource
		if err := vetConfigured(cfg, in.name); err != nil {
			return nil, err
		}
		in.source = newSourceReader(openSource(cfg, in.name))
		in.close = in.source.close
		return in, nil
	}
	if len(inv.Args) == 0 || inv.Args[0] == "-" {
		if isTerminalReader(inv.Stdin) {
			return nil, exitErrorf(exitUsage, "name a file or device, such as /dev/hwrng, or send data into a pipe", "nothing to audit: standard input is a terminal")
		}
		in.reader = inv.Stdin
		if file, ok := inv.Stdin.(*os.File); ok {
			node, err := linux.FileNode(file)
			if err != nil {
				return nil, exitErrorf(exitNoInput, "", "cannot audit standard input: %w", err)
			}
			in.setNode(node)
			in.size = sizeOf(file.Stat())
		}
	} else {
		in.name = inv.Args[0]
		if in.name == hwrng.Name {
			in.name = cfg.HWRNGDevice
		}
		node, err := linux.StatNode(in.name)
		if err != nil {
			return nil, in.openError(err)
		}
		in.setNode(node)
		in.size = sizeOf(os.Stat(in.name))
	}
	if in.node.Type == linux.Directory {
		return nil, exitErrorf(exitNoInput, "", "cannot audit %s: it is a directory", in.name)
	}
	return in, nil
}

// sizeOf returns how large a file is, 0 if nobody knows.
func sizeOf(info fs.FileInfo, err error) int64 {
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (in *auditInput) setNode(node linux.Node) {
	in.node = node
	switch node.Type {
	case linux.RegularFile:
		in.kind = kindFile
	case linux.CharDevice:
		in.kind = kindDevice
	}
}

// open opens the input. It waits for the writer of a FIFO, and perhaps for a driver, but no longer than
// until ctx is done: what hangs then ends with the process.
func (in *auditInput) open(ctx context.Context) error {
	if in.reader != nil {
		return nil
	}
	if in.kind == kindSource {
		in.reader = in.source
		return in.source.begin(ctx)
	}
	type outcome struct {
		device *linux.Device
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		device, err := linux.OpenDevice(in.name)
		done <- outcome{device, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return in.openError(got.err)
		}
		return in.use(got.device)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// use takes an open file. A terminal line is made raw, and given back by close.
func (in *auditInput) use(device *linux.Device) error {
	in.setNode(device.Node())
	in.reader = device
	if !device.IsTTY() {
		return nil
	}
	in.kind = kindTerminal
	line, err := device.TakeLine()
	if used, ok := errors.AsType[*linux.InUseError](err); ok {
		return exitErrorf(exitAlreadyRunning, "two readers would each get a part of the data; 'fuser "+in.name+"' tells who has it", "cannot audit: %w", used)
	}
	if err != nil {
		return exitErrorf(exitNoInput, "", "cannot audit: %w", err)
	}
	in.close = func() { _ = line.Release() } // a line that is gone needs no settings
	return nil
}

// openError gives an error of opening its exit code and a hint.
func (in *auditInput) openError(err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.EBUSY) && in.kind == kindDevice:
		return exitErrorf(exitAlreadyRunning, "'fuser "+in.name+"' tells who has it", "cannot audit: %w", err)
	case errors.Is(err, syscall.EPERM): // mode bits give EACCES
		hint = "something forbids it whatever the rights, such as the device rules of a container; data can come by a pipe"
	case errors.Is(err, fs.ErrPermission):
		hint = "use sudo"
		if in.kind == kindDevice {
			hint = fmt.Sprintf(`use sudo, or give a group the right to read it by a udev rule: KERNEL=="%s", GROUP="...", MODE="0640"`, deviceName(in.name))
		}
	case errors.Is(err, fs.ErrNotExist) && filepath.Base(in.name) == hwrng.Name:
		hint = "'hwrngd list' shows which generators there are"
	}
	return exitErrorf(exitNoInput, hint, "cannot audit: %w", err)
}

// deviceName is the name of a device as udev knows it, behind the links that udev makes.
func deviceName(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return filepath.Base(path)
}
