package linux

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock is a held lock file. The kernel drops the lock when the process ends, however it ends.
type Lock struct{ file *os.File }

// LockedError reports that another process holds the lock.
type LockedError struct {
	Path string
	PID  int // of the holder, 0 if it did not write any
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock %s: held by another process", e.Path)
	}
	return fmt.Sprintf("lock %s: held by process %d", e.Path, e.PID)
}

// TryLock takes an exclusive lock on path, which it creates if needed, and writes the process ID
// into it. It does not wait: if the lock is held it returns a [*LockedError].
func TryLock(path string) (*Lock, error) {
	// Whoever may open the file, if only for reading, may lock it and so keep the daemon out.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil, err
	}
	var lockErr error
	if err := raw.Control(func(fd uintptr) {
		_, lockErr = retryEINTR(func() (int, error) { return 0, unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) })
	}); err != nil {
		lockErr = err
	}
	if errors.Is(lockErr, unix.EWOULDBLOCK) {
		held := &LockedError{Path: path, PID: readPID(f)}
		f.Close()
		return nil, held
	}
	if lockErr != nil {
		f.Close()
		return nil, &os.PathError{Op: "flock", Path: path, Err: lockErr}
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return &Lock{file: f}, nil
}

// Release drops the lock. The file stays: to remove it would race with the next owner.
func (l *Lock) Release() error { return l.file.Close() }

func readPID(f *os.File) int {
	buf := make([]byte, 32)
	n, _ := f.ReadAt(buf, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return 0
	}
	return pid
}
