package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// pty is a device: what is written to the master comes out of the line. It is as the kernel makes it,
// for somebody at a keyboard.
type pty struct {
	t      *testing.T
	master *os.File
	line   string
}

func newPTY(t *testing.T) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	t.Cleanup(func() { master.Close() })
	p := &pty{t: t, master: master}
	var unlock, number uint32
	p.control(syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	p.control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	p.line = fmt.Sprintf("/dev/pts/%d", number)
	return p
}

func (p *pty) control(request uintptr, arg unsafe.Pointer) {
	p.t.Helper()
	raw, err := p.master.SyscallConn()
	if err != nil {
		p.t.Fatal(err)
	}
	var errno syscall.Errno
	if err := raw.Control(func(fd uintptr) { _, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg)) }); err != nil {
		p.t.Fatal(err)
	}
	if errno != 0 {
		p.t.Fatalf("ioctl %#x: %v", request, errno)
	}
}

// mode returns the settings of the line.
func (p *pty) mode() (mode syscall.Termios) {
	p.t.Helper()
	p.control(syscall.TCGETS, unsafe.Pointer(&mode))
	return mode
}

func (p *pty) isRaw() bool { return p.mode().Lflag&syscall.ICANON == 0 }

// send writes data as the device.
func (p *pty) send(data string) {
	p.t.Helper()
	if _, err := p.master.WriteString(data); err != nil {
		p.t.Fatal(err)
	}
}

// rig is a source and what it tells.
type rig struct {
	t   *testing.T
	opt Options
	rec sourcetest.Recorder
	log *sourcetest.Log
}

func newRig(t *testing.T, device string) *rig {
	t.Helper()
	r := &rig{t: t}
	log, logger := sourcetest.NewLog()
	r.log = log
	r.opt = Options{Device: device, Procfs: "/proc", Recorder: &r.rec, Log: logger}
	return r
}

// make makes the source. However slow the machine is, nothing is stale.
func (r *rig) make(before *Source) *Source {
	s := New(r.opt, before)
	s.reader.Stale = time.Hour
	return s
}

// source makes the source, closed at the end of the test.
func (r *rig) source() *Source {
	s := r.make(nil)
	r.t.Cleanup(func() { s.Close() })
	return s
}

// start reads until the source delivers: then the line is set up, and nothing more is dropped. What it
// delivers up to then are dashes, of which some may still come.
func (r *rig) start(s *Source, p *pty) {
	r.t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_, _ = p.master.WriteString("--------")
			}
		}
	}()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	_, err := s.Read(ctx, make([]byte, 1))
	close(stop)
	<-stopped
	if err != nil {
		r.t.Fatal(err)
	}
}

// started makes a source that reads p.
func (r *rig) started(p *pty) *Source {
	r.t.Helper()
	s := r.source()
	r.start(s, p)
	return s
}

// read reads n bytes, without the dashes in front.
func (r *rig) read(s *Source, n int) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	data, buf := "", make([]byte, n)
	for len(data) < n {
		k, err := s.Read(ctx, buf[:n-len(data)])
		if err != nil {
			r.t.Fatalf("after %d of %d bytes: %v", len(data), n, err)
		}
		if data += string(buf[:k]); len(data) == k {
			data = strings.TrimLeft(data, "-")
		}
	}
	return data
}

// fails reads until there is an error other than that nothing came.
func (r *rig) fails(s *Source) error {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	for {
		if _, err := s.Read(ctx, make([]byte, 100)); err != nil {
			return err
		}
	}
}

// wantUnavailable checks an error's type, its text and its hint.
func wantUnavailable(t *testing.T, err error, reason, hint string) *source.UnavailableError {
	t.Helper()
	u, ok := errors.AsType[*source.UnavailableError](err)
	if !ok {
		t.Fatalf("got %v, want an UnavailableError", err)
	}
	if !strings.Contains(u.Reason, reason) || !strings.Contains(u.Hint, hint) {
		t.Errorf("reason %q, hint %q; want %q, %q", u.Reason, u.Hint, reason, hint)
	}
	return u
}

// eventually waits for something that another goroutine or process does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out: %s", what)
		}
	}
}
