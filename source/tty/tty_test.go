package tty

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// FC-050: a line in the mode for a keyboard passes every byte value, and is that again afterwards.
func TestEveryByteAndRestore(t *testing.T) {
	p := newPTY(t)
	before := p.Mode(t)
	if before.Lflag&syscall.ICANON == 0 || before.Iflag&syscall.ICRNL == 0 {
		t.Fatalf("a new pseudo terminal is not cooked: %+v", before)
	}
	r := newRig(t, p.Line)
	s := r.make(nil)
	r.start(s, p)
	if e := r.rec.Events(); e.Discarded[source.DiscardStartup] != flushBytes || e.BytesRead != flushBytes || s.Dropped() != flushBytes {
		t.Errorf("%d bytes dropped of %d that the worker does not know", e.Discarded[source.DiscardStartup], e.BytesRead)
	}
	var all strings.Builder
	for range 3 {
		for i := range 256 {
			all.WriteByte(byte(i))
		}
	}
	p.send(all.String())
	if got := r.read(s, all.Len()); got != all.String() {
		t.Errorf("got % x", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := p.Mode(t); after != before {
		t.Errorf("settings %+v, before %+v", after, before)
	}
	// Anybody may open it again.
	if f, err := os.Open(p.Line); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}

// FC-033: a device that sends nothing until it is told to.
func TestInit(t *testing.T) {
	p := newPTY(t)
	r := newRig(t, p.Line)
	r.opt.Init = "cmdO\n"
	s := r.source()
	got := make(chan string, 1)
	go func() {
		buf := make([]byte, 100)
		n, _ := p.Master.Read(buf) // nothing else is ever written to the line
		got <- string(buf[:n])
		for range flushBytes + 1 {
			_, _ = p.Master.WriteString("\r")
		}
	}()
	if data := r.read(s, 1); data != "\r" {
		t.Errorf("%q", data)
	}
	if init := <-got; init != "cmdO\n" { // not cmdO\r\n, as a line for people would make it
		t.Errorf("the device was sent %q", init)
	}
}

// A device whose buffer is full takes nothing more.
func TestInitNotTaken(t *testing.T) {
	p := newPTY(t)
	r := newRig(t, p.Line)
	r.opt.Init = strings.Repeat("x", 1<<20)
	sourcetest.WantUnavailable(t, r.fails(r.source()), p.Line+" did not take the init string within 2s", "the line of the device", false)
	kit.Eventually(t, "the line is given back", func() bool { return !p.isRaw() })
}

// FC-051: a line has one reader.
func TestInUse(t *testing.T) {
	const hint = "one reader"
	t.Run("by a process that does not lock", func(t *testing.T) {
		p := newPTY(t)
		f, err := os.OpenFile(p.Line, os.O_RDONLY|syscall.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, p.Line)
		s := r.source()
		sourcetest.WantUnavailable(t, r.fails(s), p.Line+" is in use by tty.test (process ", hint, false)
		if p.isRaw() {
			t.Error("the settings were changed under it")
		}
		f.Close()
		r.start(s, p)
	})
	t.Run("by a process that cannot be seen", func(t *testing.T) {
		p := newPTY(t)
		f, err := os.OpenFile(p.Line, os.O_RDONLY|syscall.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, p.Line)
		r.opt.Procfs = linux.Procfs(t.TempDir())
		s := r.source()
		err = r.fails(s)
		sourcetest.WantUnavailable(t, err, p.Line+" is in use by another process", hint, false)
		if _, ok := errors.AsType[*linux.InUseError](err); !ok {
			t.Errorf("no cause in %#v", err)
		}
		f.Close()
		r.start(s, p)
	})
	t.Run("by this source", func(t *testing.T) {
		p := newPTY(t)
		newRig(t, p.Line).started(p)
		r := newRig(t, p.Line)
		sourcetest.WantUnavailable(t, r.fails(r.source()), p.Line+" is in use by ", hint, false)
		r.opt.Procfs = "" // the lock tells, too
		sourcetest.WantUnavailable(t, r.fails(r.source()), p.Line+" is in use by another process", hint, false)
	})
}

func TestHangUp(t *testing.T) {
	p := newPTY(t)
	r := newRig(t, p.Line)
	s := r.started(p)
	p.Master.Close()
	sourcetest.WantUnavailable(t, r.fails(s), p.Line, "plugged", false)
	err := s.Watch()
	sourcetest.WantUnavailable(t, err, p.Line, "not plugged in", false)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no cause in %#v", err)
	}
}

// A device is unplugged and comes back under another number; the link of udev leads there.
func TestReplug(t *testing.T) {
	plug := func(t *testing.T, link string) *pty {
		p := newPTY(t)
		if err := os.Symlink(p.Line, link+".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(link+".new", link); err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Run("while it is read", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "usb-TRNG-if00")
		p := plug(t, link)
		r := newRig(t, link)
		s := r.started(p)
		p.Master.Close()
		sourcetest.WantUnavailable(t, r.fails(s), link, "plugged", false)
		p = plug(t, link)
		r.start(s, p) // without another error: the worker knows already
		p.send("new")
		if got := r.read(s, 3); got != "new" {
			t.Errorf("%q", got)
		}
	})
	t.Run("the old one stays", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "usb-TRNG-if00")
		old := plug(t, link)
		r := newRig(t, link)
		s := r.started(old)
		ctx, cancel := context.WithCancel(t.Context())
		for cancel(); ; { // leaves a read that waits for the old one
			if _, err := s.Read(ctx, make([]byte, 100)); err != nil {
				break
			}
		}
		p := plug(t, link)
		err := r.fails(s)
		changed, ok := errors.AsType[*source.ChangedError](err)
		if !ok || changed.What != "device" || changed.From != old.Line || changed.To != p.Line {
			t.Fatalf("got %v", err)
		}
		kit.Eventually(t, "the old line is given back", func() bool { return !old.isRaw() })
		r.start(s, p)
	})
	t.Run("while nobody reads", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "usb-TRNG-if00")
		p := plug(t, link)
		r := newRig(t, link)
		s := r.started(p)
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		sourcetest.WantUnavailable(t, s.Watch(), link, "not plugged in", false)
		kit.Eventually(t, "the line is given back", func() bool { return !p.isRaw() })
		if err := os.Symlink(p.Line, link); err != nil {
			t.Fatal(err)
		}
		if err := s.Watch(); err != nil {
			t.Errorf("it is back: %v", err)
		}
		r.start(s, p)
	})
}

// A link that leads elsewhere by the time it is open is not read, and that is no error yet.
func TestMovedWhileOpening(t *testing.T) {
	p := newPTY(t)
	got, err := newRig(t, p.Line).opt.open(linux.Node{})
	if got != nil || err != nil || p.isRaw() {
		t.Errorf("%v, %v, raw %v", got, err, p.isRaw())
	}
}

// What lies in the kernel's buffer from long ago is not used.
func TestStaleInput(t *testing.T) {
	p := newPTY(t)
	r := newRig(t, p.Line)
	s := r.started(p)
	p.send(strings.Repeat("old", 300))
	var queued int32
	kit.Eventually(t, "it is in the line's buffer", func() bool {
		if err := kit.Ioctl(p.Master, syscall.TIOCOUTQ, unsafe.Pointer(&queued)); err != nil {
			t.Fatal(err)
		}
		return queued == 0
	})
	time.Sleep(time.Millisecond)
	s.reader.Stale = 0 // of the next request alone
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := s.Read(ctx, make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	s.reader.Stale = time.Hour
	r.start(s, p)
	p.send("new")
	if got := r.read(s, 3); got != "new" {
		t.Errorf("%q", got)
	}
}

func TestSpeed(t *testing.T) {
	p := newPTY(t)
	before := p.Mode(t).Cflag & linuxCBAUD
	r := newRig(t, p.Line)
	r.opt.Speed = 9600
	s := r.make(nil)
	r.start(s, p)
	if got := p.Mode(t).Cflag & linuxCBAUD; got != syscall.B9600 || got == before {
		t.Errorf("speed %#o, before %#o", got, before)
	}
	s.Close()
	if got := p.Mode(t).Cflag & linuxCBAUD; got != before {
		t.Errorf("speed %#o afterwards, before %#o", got, before)
	}
	r.opt.Speed = 9601
	sourcetest.WantUnavailable(t, r.fails(r.source()), "9601 is none of [110 300 600 1200 ", "", false)
}

// Every way in which there is nothing to read.
func TestUnavailable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	kit.WriteFile(t, file, "not random", 0o600)
	for _, c := range []struct {
		name, device, reason, hint string
		denied                     bool
	}{
		{"nothing there", filepath.Join(dir, "ttyACM0"), "no such file", "cdc_acm", false},
		{"regular file", file, "is no terminal line but a regular file", "by-id", true},
		{"directory", dir, "is no terminal line but a directory", "by-id", true},
		{"the kernel's own generator", "/dev/urandom", "is no terminal line but a character device 1:9", "by-id", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.device)
			sourcetest.WantUnavailable(t, r.fails(r.source()), c.reason, c.hint, c.denied)
		})
	}
}

func TestInfo(t *testing.T) {
	r := newRig(t, "/dev/ttyACM0")
	if i := r.source().Info(); i.Name != "tty" || i.Kind != "serial" || i.Device != "/dev/ttyACM0" || i.MinEntropy != 4 || i.ClaimOrigin != "default" {
		t.Errorf("%+v", i)
	}
	r.opt.Claim = 7.5
	if i := r.source().Info(); i.MinEntropy != 7.5 || i.ClaimOrigin != "configured" {
		t.Errorf("%+v", i)
	}
}

// After a reload the line goes from one source to the next.
func TestReload(t *testing.T) {
	p := newPTY(t)
	r := newRig(t, p.Line)
	before := r.make(nil)
	r.start(before, p)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	s := r.make(before)
	defer s.Close()
	r.start(s, p)
}

// linuxCBAUD is CBAUD of <asm-generic/termbits.h>, which package syscall does not have.
const linuxCBAUD = 0o010017
