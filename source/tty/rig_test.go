package tty

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// pty is a device: what is written to the master comes out of the line.
type pty struct {
	*kit.PTY
	t *testing.T
}

func newPTY(t *testing.T) *pty {
	t.Helper()
	return &pty{kit.NewPTY(t), t}
}

func (p *pty) isRaw() bool { return p.Mode(p.t).Lflag&syscall.ICANON == 0 }

// send writes data as the device.
func (p *pty) send(data string) {
	p.t.Helper()
	if _, err := p.Master.WriteString(data); err != nil {
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
				_, _ = p.Master.WriteString("--------")
			}
		}
	}()
	ctx, cancel := context.WithTimeout(r.t.Context(), kit.Patience)
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
	ctx, cancel := context.WithTimeout(r.t.Context(), kit.Patience)
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
	ctx, cancel := context.WithTimeout(r.t.Context(), kit.Patience)
	defer cancel()
	for {
		if _, err := s.Read(ctx, make([]byte, 100)); err != nil {
			return err
		}
	}
}
