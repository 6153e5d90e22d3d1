package linux

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func openDevice(t *testing.T, path string) *Device {
	t.Helper()
	d, err := OpenDevice(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeviceFIFO(t *testing.T) {
	path := mkfifo(t)
	opened := make(chan *Device)
	go func() {
		d, err := OpenDevice(path) // waits for the writer
		if err != nil {
			t.Error(err)
		}
		opened <- d
	}()
	select {
	case <-opened:
		t.Fatal("the open did not wait for a writer")
	case <-time.After(20 * time.Millisecond):
	}
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	d := <-opened
	defer d.Close()
	if d.Node().Type != FIFO {
		t.Errorf("node is %v", d.Node())
	}

	buf := make([]byte, 64)
	for _, want := range []string{"a", "some bytes", "b"} {
		if _, err := w.WriteString(want); err != nil {
			t.Fatal(err)
		}
		if n, err := d.Read(buf); err != nil || string(buf[:n]) != want {
			t.Errorf("short read: %q, %v, want %q", buf[:n], err, want)
		}
	}
	if n, err := d.Read(nil); n != 0 || err != nil {
		t.Errorf("empty read: %d, %v", n, err)
	}
	w.Close()
	for range 2 {
		if n, err := d.Read(buf); n != 0 || err != io.EOF {
			t.Errorf("after the writer left: %d, %v", n, err)
		}
	}
}

func TestDeviceErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, path string
		opens      bool
		want       error
	}{
		{"I/O error", "/proc/self/mem", true, unix.EIO}, // at offset 0
		{"directory", dir, true, unix.EISDIR},
		{"end of file", "/dev/null", true, io.EOF},
		{"missing", filepath.Join(dir, "missing"), false, os.ErrNotExist},
		{"below a device", "/dev/null/none", false, unix.ENOTDIR},
	} {
		t.Run(c.name, func(t *testing.T) {
			noLeak(t, func() {
				d, err := OpenDevice(c.path)
				if c.opens != (err == nil) {
					t.Fatalf("open: %v", err)
				}
				if c.opens {
					var n int
					n, err = d.Read(make([]byte, 16))
					if n != 0 {
						t.Errorf("%d bytes and %v", n, err)
					}
					if err := d.Close(); err != nil {
						t.Error(err)
					}
				}
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if err != io.EOF && !strings.Contains(err.Error(), c.path) {
					t.Errorf("error does not name the device: %v", err)
				}
			})
		})
	}
}

// FC-080: hw_random refuses every mode but read-only.
func TestDeviceFlags(t *testing.T) {
	d := openDevice(t, "/dev/zero")
	defer d.Close()
	flags := fdFlags(t, d.fd)
	if flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_CLOEXEC == 0 || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("opened with flags %#o", flags)
	}
}

func TestDeviceReal(t *testing.T) {
	d, err := OpenDevice("/dev/hwrng")
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	if major, minor, ok := Sysfs("/sys").HWRandomDevice(); ok && d.Node().String() != fmt.Sprintf("character device %d:%d", major, minor) {
		t.Errorf("node is %v, the class says %d:%d", d.Node(), major, minor)
	}
	if name, err := Sysfs("/sys").RNGCurrent(); name == "" {
		t.Skipf("no generator behind it: %v", err)
	}
	within(t, 10*time.Second, "read of /dev/hwrng", func() {
		buf := make([]byte, 32) // the bench's generator is slow: take little
		n, err := d.Read(buf)
		if n == 0 || err != nil || bytes.Count(buf, []byte{0}) > 16 {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}

// pty opens a pseudo terminal and returns its master and the path of its slave.
func pty() (master *os.File, slave string, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, "", err
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, "", err
	}
	n, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, "", err
	}
	return master, fmt.Sprintf("/dev/pts/%d", n), nil
}

// A character device that goes away reads as end of file.
func TestDeviceVanishes(t *testing.T) {
	master, slave, err := pty()
	if err != nil {
		t.Skip(err)
	}
	d, err := OpenDevice(slave)
	if err != nil {
		master.Close()
		t.Skip(err)
	}
	defer d.Close()
	if d.Node().Type != CharDevice || d.Node().KernelGenerator() != "" {
		t.Errorf("node is %v", d.Node())
	}
	if _, err := master.WriteString("line\n"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	if n, err := d.Read(buf); err != nil || string(buf[:n]) != "line\n" {
		t.Errorf("%q, %v", buf[:n], err)
	}
	master.Close()
	if n, err := d.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("after the device left: %d, %v", n, err)
	}
}

func childNoControllingTerminal(args []string) error {
	master, slave, err := pty()
	if err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	defer master.Close()
	for _, open := range []func() error{
		func() error { _, err := OpenDevice(slave); return err },
		func() error { _, err := OpenRandom(slave); return err },
		func() error { _, err := os.OpenFile(slave, os.O_RDWR, 0); return err },
	} {
		if err := open(); err != nil {
			return fmt.Errorf("skip: %w", err)
		}
		stat, err := os.ReadFile("/proc/self/stat")
		if err != nil {
			return fmt.Errorf("skip: %w", err)
		}
		// The name in the second field may hold anything, so count from its end: state, parent,
		// group, session, terminal.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		tty, err := strconv.Atoi(fields[4])
		if err != nil {
			return err
		}
		fmt.Print(tty != 0, " ")
	}
	return nil
}

// FC-080: a terminal as device must not become the daemon's controlling terminal, for then its
// hang-up would kill the daemon. The third, plain open shows that the test can tell.
func TestNoControllingTerminal(t *testing.T) {
	cmd := child(t, "no-ctty")
	cmd.SysProcAttr.Setsid = true
	got := output(t, cmd)
	if strings.HasPrefix(got, "skip") {
		t.Skip(got)
	}
	if got != "false false true" && got != "false false false" {
		t.Errorf("got %q", got)
	} else if got == "false false false" {
		t.Log("a plain open takes no controlling terminal either here: proves nothing")
	}
}
