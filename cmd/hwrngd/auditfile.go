//go:build !minimal

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// reportMark stands near the start of every report that is written to a file.
	reportMark = "hwrngd audit"
	// markRoom is how far from the start it is looked for.
	markRoom = 4096
)

// reportFile is a report that appears under its name when it is complete. It takes the place of an
// older report and of nothing else, as a mistyped option could name the data themselves.
type reportFile struct {
	option string
	path   string
	file   *os.File // a temporary one beside path, or path itself if that is no regular file
}

// newReportFile makes sure, before anything is read, that the report can be written.
func newReportFile(option, path string) (*reportFile, error) {
	f := &reportFile{option: option, path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, f.failed(err)
	case info.IsDir():
		return nil, exitErrorf(exitUsage, "", "--%s: %s is a directory", option, path)
	case !info.Mode().IsRegular(): // a pipe, /dev/null
		if f.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, f.failed(err)
		}
		return f, nil
	default:
		if err := f.checkOlder(); err != nil {
			return nil, err
		}
		if f.path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, f.failed(err)
		}
	}
	if f.file, err = os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*"); err != nil {
		return nil, f.failed(err)
	}
	return f, nil
}

// checkOlder refuses a file that is no report.
func (f *reportFile) checkOlder() error {
	file, err := os.Open(f.path)
	if err != nil {
		return f.failed(err)
	}
	defer file.Close()
	start, err := io.ReadAll(io.LimitReader(file, markRoom))
	if err != nil {
		return f.failed(err)
	}
	if len(start) > 0 && !bytes.Contains(start, []byte(reportMark)) {
		return exitErrorf(exitUsage, "name another file, or remove this one", "--%s: %s exists and is not a report of hwrngd audit", f.option, f.path)
	}
	return nil
}

// write writes the report and puts it in its place.
func (f *reportFile) write(document []byte) error {
	if _, err := f.file.Write(document); err != nil {
		return f.failed(err)
	}
	if f.file.Name() == f.path {
		return f.failed(f.file.Close())
	}
	if err := f.file.Chmod(0o644); err != nil {
		return f.failed(err)
	}
	if err := f.file.Close(); err != nil {
		return f.failed(err)
	}
	return f.failed(os.Rename(f.file.Name(), f.path))
}

// abandon removes what is not complete.
func (f *reportFile) abandon() {
	if f == nil || f.file == nil {
		return
	}
	_ = f.file.Close() // no error where write has closed it
	if f.file.Name() != f.path {
		_ = os.Remove(f.file.Name()) // not there where write has moved it
	}
}

func (f *reportFile) failed(err error) error {
	if err == nil {
		return nil
	}
	return exitErrorf(exitIO, "", "--%s: cannot write the report: %w", f.option, err)
}
