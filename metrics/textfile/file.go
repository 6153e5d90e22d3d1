package textfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mode lets node_exporter, which runs as another user, read the file.
const mode = 0o644

// replace puts data in place of the file at path, so that a reader sees all of the old content or
// all of the new. After a failure the old content is still there.
//
// The folder may belong to somebody with fewer rights, such as the user of node_exporter. So the
// temporary file, whose name is known in advance, is made anew each time and no link is followed.
// That name is hidden and does not end in .prom, and what a killed process left of it is removed by
// the next one.
func replace(path string, data []byte) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask is
	}
	// Some file systems report a full disk only here.
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // it would only keep a full disk full
	}
	return err
}

// hintFor says what can be done about err, "" if that is plain from the error.
func hintFor(path string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("make the folder %s", filepath.Dir(path))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "the daemon needs the right to write there; in a systemd unit see ReadWritePaths"
	}
	return ""
}
