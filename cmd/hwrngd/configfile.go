package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxConfigSize bounds the configuration file. A useful one has some hundred
// bytes; whatever is larger was named by mistake.
const maxConfigSize = 1 << 20

// readFile reads the configuration file. A default file that does not exist
// counts as empty.
func (c *Config) readFile() ([]byte, error) {
	if checkText(c.ConfigFile) != nil {
		return nil, nil // the level that gave the name will complain about it
	}
	// Without O_NONBLOCK the open of a FIFO would wait for a writer, and the
	// daemon with it at every reload.
	file, err := os.OpenFile(c.ConfigFile, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) && c.Origin("config") == originDefault {
		return nil, nil
	}
	if err != nil {
		return nil, c.fileError(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, c.fileError(err)
	}
	// /dev/null is the customary way to say "no file at all".
	if !info.Mode().IsRegular() && c.ConfigFile != os.DevNull {
		return nil, c.fileError(errors.New("it is not a regular file"))
	}
	data, err := io.ReadAll(io.LimitReader(file, maxConfigSize+1))
	if err != nil {
		return nil, c.fileError(err)
	}
	if len(data) > maxConfigSize {
		return nil, c.fileError(fmt.Errorf("it is larger than %d bytes", maxConfigSize))
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("every user can change %s, remove that right with chmod o-w", c.ConfigFile))
	}
	c.ConfigFound = true
	return data, nil
}

// fileError says why the file cannot be read and what to do about it.
func (c *Config) fileError(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // our own message already names the file
	}
	code, hint := exitUsage, fmt.Sprintf("the file is named by %s", c.Origin("config"))
	switch {
	case c.Origin("config") == originDefault:
		hint = "name another file with --config"
	case errors.Is(err, fs.ErrNotExist):
		hint += ", only " + defaultConfigFile + " may be missing"
	}
	if errors.Is(err, fs.ErrPermission) {
		code, hint = exitPermission, fmt.Sprintf("run as root, or make the file readable for user id %d", os.Geteuid())
	}
	return exitErrorf(code, hint, "cannot read configuration file %s: %w", c.ConfigFile, err)
}
