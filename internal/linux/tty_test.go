package linux

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// cookedLine returns both ends of a pseudo terminal in the mode that a new one has.
func cookedLine(t *testing.T) (master *os.File, line *Device) {
	t.Helper()
	master, path, err := pty()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	line = openDevice(t, path)
	t.Cleanup(func() { line.Close() })
	if mode := settings(t, line); mode.Lflag&unix.ICANON == 0 || mode.Iflag&unix.ICRNL == 0 {
		t.Fatalf("a new pseudo terminal is not cooked: %+v", mode)
	}
	return master, line
}

func settings(t *testing.T, d *Device) unix.Termios {
	t.Helper()
	mode, err := unix.IoctlGetTermios(d.fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *mode
}

// FC-050: a line that nobody has set up passes every byte value.
func TestLinePassesEveryByte(t *testing.T) {
	master, d := cookedLine(t)
	before := settings(t, d)
	if !d.IsTTY() {
		t.Error("no terminal line")
	}
	if _, err := master.Write([]byte("old\n")); err != nil { // what came before is dropped
		t.Fatal(err)
	}
	line, err := d.TakeLine()
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for i := range 3 * 256 {
		all = append(all, byte(i))
	}
	if _, err := master.Write(all); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 0, len(all))
	for len(got) < len(all) {
		n, err := d.Read(got[len(got):cap(got)])
		if err != nil {
			t.Fatal(err)
		}
		got = got[:len(got)+n]
	}
	if !bytes.Equal(got, all) {
		t.Errorf("got % x", got)
	}
	if _, err := master.Write([]byte{3}); err != nil { // one byte is enough for a read, even this one
		t.Fatal(err)
	}
	if n, err := d.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := line.Release(); err != nil {
		t.Fatal(err)
	}
	if after := settings(t, d); after != before {
		t.Errorf("settings %+v, before %+v", after, before)
	}
}

func TestRawMode(t *testing.T) {
	var all unix.Termios
	all.Iflag, all.Oflag, all.Lflag = ^all.Iflag, ^all.Oflag, ^all.Lflag
	all.Cflag = unix.CS6 | unix.PARENB | unix.B9600 | unix.CSTOPB | unix.CRTSCTS
	raw := rawMode(all)
	if raw.Iflag != 0 || raw.Lflag != 0 || raw.Oflag != all.Oflag&^unix.OPOST {
		t.Errorf("%+v", raw)
	}
	if want := uint32(unix.CS8 | unix.B9600 | unix.CSTOPB | unix.CREAD | unix.CLOCAL); raw.Cflag != want {
		t.Errorf("control modes %#o, want %#o", raw.Cflag, want)
	}
	if raw.Cc[unix.VMIN] != 1 || raw.Cc[unix.VTIME] != 0 {
		t.Errorf("%+v", raw.Cc)
	}
}

// FC-051: a line has one reader.
func TestLineInUse(t *testing.T) {
	master, first := cookedLine(t)
	second := openDevice(t, first.path)
	defer second.Close()
	inUse := func(when string, err error) {
		t.Helper()
		if used, ok := errors.AsType[*InUseError](err); !ok || used.Path != first.path || err.Error() != first.path+" is in use by another process" {
			t.Errorf("%s: %v", when, err)
		}
	}
	line, err := first.TakeLine()
	if err != nil {
		t.Fatal(err)
	}
	_, err = second.TakeLine()
	inUse("taken", err)
	if os.Geteuid() == 0 {
		got := output(t, asNobody(t, child(t, "open", first.path)))
		if !strings.Contains(got, "device or resource busy") && !strings.Contains(got, "permission denied") {
			t.Errorf("another user's open: %s", got)
		}
	}
	if err := line.Release(); err != nil {
		t.Fatal(err)
	}

	// Others make a line exclusive without a lock, or lock it without that.
	if err := unix.IoctlSetInt(first.fd, unix.TIOCEXCL, 0); err != nil {
		t.Fatal(err)
	}
	_, err = second.TakeLine()
	inUse("exclusive", err)
	if err := unix.IoctlSetInt(first.fd, unix.TIOCNXCL, 0); err != nil {
		t.Fatal(err)
	}
	line, err = second.TakeLine() // the refused ones hold nothing
	if err != nil {
		t.Fatal(err)
	}

	// A line that has gone cannot be restored.
	master.Close()
	if err := line.Release(); !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), first.path) {
		t.Errorf("released after the other end closed: %v", err)
	}
	if _, err := first.TakeLine(); err == nil {
		t.Error("taken after the other end closed")
	}
	if n, err := second.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// childOpen opens a file for reading.
func childOpen(args []string) error {
	d, err := OpenDevice(args[0])
	if err != nil {
		return err
	}
	return d.Close()
}

// childTakesOwnTerminal makes a terminal its own and then wants it as a source.
func childTakesOwnTerminal([]string) error {
	// The master stays open until the end: its close would hang up, and kill, the session.
	master, path, err := pty()
	if err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	defer runtime.KeepAlive(master)
	d, err := OpenDevice(path)
	if err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	if err := unix.IoctlSetInt(d.fd, unix.TIOCSCTTY, 0); err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	_, err = d.TakeLine()
	return err
}

func TestOwnTerminalIsRefused(t *testing.T) {
	cmd := child(t, "own-terminal")
	cmd.SysProcAttr.Setsid = true
	got := output(t, cmd)
	if strings.HasPrefix(got, "skip") {
		t.Skip(got)
	}
	if !strings.HasPrefix(got, "/dev/pts/") || !strings.HasSuffix(got, "is the terminal that this program runs in") {
		t.Errorf("got %q", got)
	}
}

func TestNotATTY(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dev/null", "/dev/zero", file} {
		d := openDevice(t, path)
		if d.IsTTY() {
			t.Errorf("%s is a terminal line", path)
		}
		if _, err := d.TakeLine(); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s taken: %v", path, err)
		}
		d.Close()
	}
}
