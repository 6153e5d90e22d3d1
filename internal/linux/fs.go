package linux

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttribute bounds what is read of one sysfs or procfs file, in bytes. The kernel's own limit
// for an attribute is one page.
const maxAttribute = 4096

// attributePath returns root/elem... An empty root has no files: joined to them it would mean the
// working directory.
func attributePath(root string, elem []string) (string, error) {
	path := filepath.Join(elem...)
	if root == "" {
		return "", &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
	}
	return filepath.Join(root, path), nil
}

// readAttribute reads the file at root/elem... with one read call and trims white space.
func readAttribute(root string, elem ...string) (string, error) {
	path, err := attributePath(root, elem)
	if err != nil {
		return "", err
	}
	fd, err := retryEINTR(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	buf := make([]byte, maxAttribute)
	n, err := retryEINTR(func() (int, error) { return unix.Read(fd, buf) })
	if err != nil {
		return "", &os.PathError{Op: "read", Path: path, Err: err}
	}
	return string(bytes.TrimSpace(buf[:n])), nil
}

// writeAttribute writes value to an existing file in one call.
func writeAttribute(value, root string, elem ...string) error {
	path, err := attributePath(root, elem)
	if err != nil {
		return err
	}
	fd, err := retryEINTR(func() (int, error) {
		return unix.Open(path, unix.O_WRONLY|unix.O_TRUNC|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	})
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if _, err := retryEINTR(func() (int, error) { return unix.Write(fd, []byte(value)) }); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// readInt reads a file that holds one decimal number.
func readInt(root string, elem ...string) (int, error) {
	text, err := readAttribute(root, elem...)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, &os.PathError{Op: "parse", Path: filepath.Join(append([]string{root}, elem...)...), Err: err}
	}
	return n, nil
}

// words splits the text of an attribute that lists names.
func words(text string) []string { return strings.Fields(text) }
