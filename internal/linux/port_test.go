package linux

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openPort opens the line of a new pseudo terminal.
func openPort(t *testing.T, write bool) (*os.File, *Port) {
	t.Helper()
	master, path, err := pty()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	p, err := OpenPort(path, PortOptions{Write: write}, "/proc")
	if err != nil {
		t.Fatal(err)
	}
	return master, p
}

func TestPort(t *testing.T) {
	noLeak(t, func() {
		master, path, err := pty()
		if err != nil {
			t.Skip(err)
		}
		defer master.Close()
		before, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		p, err := OpenPort(path, PortOptions{Speed: 115200, Write: true}, "/proc")
		if err != nil {
			t.Fatal(err)
		}
		if node, err := StatNode(path); err != nil || !p.Node().Same(node) {
			t.Errorf("%v, %v", p.Node(), err)
		}
		if mode := settings(t, p.device); mode.Lflag != 0 || mode.Cflag&unix.CBAUD != unix.B115200 {
			t.Errorf("settings %+v", mode)
		}
		if err := p.Write([]byte("in\n"), time.Minute); err != nil {
			t.Error(err)
		}
		buf := make([]byte, 100)
		if n, err := master.Read(buf); string(buf[:n]) != "in\n" || err != nil {
			t.Errorf("%q, %v", buf[:n], err)
		}
		if _, err := master.WriteString("\x03"); err != nil {
			t.Fatal(err)
		}
		if n, err := p.Read(buf); string(buf[:n]) != "\x03" || err != nil {
			t.Errorf("%q, %v", buf[:n], err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if after, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS); err != nil || *after != *before {
			t.Errorf("settings %+v, before %+v, %v", after, before, err)
		}
	})
}

func TestPortInterrupt(t *testing.T) {
	_, p := openPort(t, false)
	defer p.Close()
	within(t, 10*time.Second, "an interrupted read", func() {
		time.AfterFunc(10*time.Millisecond, p.Interrupt)
		for range 2 { // and every later one
			if n, err := p.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%d bytes, %v", n, err)
			}
		}
	})
}

func TestPortWriteLimit(t *testing.T) {
	_, p := openPort(t, true)
	within(t, 10*time.Second, "a write that nobody takes, and the close after it", func() {
		if err := p.Write(make([]byte, 1<<20), 10*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestPortReadOnly(t *testing.T) {
	_, p := openPort(t, false)
	defer p.Close()
	if err := p.Write([]byte("x"), time.Second); !errors.Is(err, unix.EBADF) {
		t.Error(err)
	}
}

func TestPortFlush(t *testing.T) {
	master, p := openPort(t, false)
	defer p.Close()
	if _, err := master.WriteString("old"); err != nil {
		t.Fatal(err)
	}
	queued := func() int {
		n, err := unix.IoctlGetInt(p.device.fd, unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for queued() < 3 { // a worker of the kernel moves it
		time.Sleep(time.Millisecond)
	}
	if err := p.Flush(); err != nil || queued() != 0 {
		t.Errorf("%v, %d bytes left", err, queued())
	}
}

func TestPortHangUp(t *testing.T) {
	master, p := openPort(t, false)
	master.Close()
	if n, err := p.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := p.Flush(); !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), p.device.path) {
		t.Errorf("flushed: %v", err)
	}
	if err := p.Close(); !errors.Is(err, unix.EIO) {
		t.Errorf("closed: %v", err)
	}
	if _, err := OpenPort(p.device.path, PortOptions{}, "/proc"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opened: %v", err)
	}
}

// An open that is refused leaves nothing behind.
func TestPortRefused(t *testing.T) {
	master, p := openPort(t, false)
	defer p.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noLeak(t, func() {
		for _, proc := range []Procfs{"/proc", ""} { // the lock tells, too
			if _, err := OpenPort(p.device.path, PortOptions{}, proc); !isInUse(err) {
				t.Errorf("twice: %v", err)
			}
		}
		_, err := OpenPort(file, PortOptions{}, "/proc")
		if not, ok := errors.AsType[*NotLineError](err); !ok || not.Error() != file+" is no terminal line but a regular file" {
			t.Errorf("a file: %v", err)
		}
	})
	p.Close()
	noLeak(t, func() {
		if _, err := OpenPort(p.device.path, PortOptions{Speed: 12345}, "/proc"); err == nil || !strings.Contains(err.Error(), "12345 is none of [110 ") {
			t.Errorf("a speed that is none: %v", err)
		}
	})
	if mode, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS); err != nil || mode.Lflag&unix.ICANON == 0 {
		t.Errorf("left in raw mode: %+v, %v", mode, err)
	}
}

func isInUse(err error) bool { _, ok := errors.AsType[*InUseError](err); return ok }

// A line that is exclusive is closed to other users, who get EBUSY.
func TestPortBusy(t *testing.T) {
	_, p := openPort(t, false)
	defer p.Close()
	if err := os.Chmod(p.device.path, 0o666); err != nil {
		t.Skip(err)
	}
	want := p.device.path + " is in use by another process"
	if got := output(t, asNobody(t, child(t, "open-port", p.device.path))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// childOpenPort opens a line.
func childOpenPort(args []string) error {
	p, err := OpenPort(args[0], PortOptions{}, "/proc")
	if err != nil {
		return err
	}
	return p.Close()
}

func TestSpeeds(t *testing.T) {
	_, p := openPort(t, false)
	defer p.Close()
	list := LineSpeeds()
	if len(list) != len(speeds) || list[0] != 110 || list[len(list)-1] != 4000000 {
		t.Errorf("%d", list)
	}
	codes := map[uint32]int{}
	for _, s := range list {
		if err := p.SetSpeed(s); err != nil {
			t.Error(err)
		}
		code := settings(t, p.device).Cflag & (unix.CBAUD | unix.CIBAUD)
		if other, taken := codes[code]; taken {
			t.Errorf("%d and %d bits a second are one", s, other)
		}
		codes[code] = s
	}
}

func TestDeviceHolder(t *testing.T) {
	master, path, err := pty()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	first, second := openDevice(t, path), openDevice(t, path)
	defer first.Close()
	h, found := Procfs("/proc").deviceHolder(first)
	if want := fmt.Sprintf("linux.test (process %d)", os.Getpid()); !found || h.String() != want {
		t.Errorf("%q, %v, want %q", h, found, want)
	}
	if h, found := Procfs("").deviceHolder(first); found {
		t.Errorf("without proc: %s", h)
	}
	second.Close()
	if h, found := Procfs("/proc").deviceHolder(first); found {
		t.Errorf("nobody else has it, got %s", h)
	}
	if got := (holder{pid: 7}).String(); got != "process 7" {
		t.Errorf("%q", got)
	}
}

func TestSameDevice(t *testing.T) {
	char := func(major, minor uint32, ino uint64) Node {
		return Node{Type: CharDevice, Major: major, Minor: minor, dev: 1, ino: ino}
	}
	for _, c := range []struct {
		name string
		a, b Node
		want bool
	}{
		{"the same node", char(166, 0, 1), char(166, 0, 1), true},
		{"a container's node", char(166, 0, 1), char(166, 0, 2), true},
		{"another line", char(166, 0, 1), char(166, 1, 2), false},
		{"pseudo terminals of two mounts", char(136, 0, 1), char(136, 0, 2), false},
		{"the same pseudo terminal", char(136, 0, 1), char(136, 0, 1), true},
		{"files", Node{Type: RegularFile, dev: 1, ino: 1}, Node{Type: RegularFile, dev: 1, ino: 2}, false},
	} {
		if got := c.a.sameDevice(c.b); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
