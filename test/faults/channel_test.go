package faults

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// channel is a sort of device that plays a tape.
type channel interface {
	// plug makes the device appear at path.
	plug(path string) error
	// unplug makes it vanish: nothing is at path any more, and reads under way end.
	unplug() error
}

// newChannel returns a channel of that kind whose devices will be below dir. It is unplugged at the
// end of the test.
func newChannel(t testing.TB, c *script.Case, tp *tape, dir string) channel {
	t.Helper()
	var ch channel
	switch c.Channel {
	case "fifo":
		ch = &wire{tape: tp, open: openFIFO}
	case "pty":
		ch = &wire{tape: tp, open: func(path string) (*os.File, *os.File, error) { return openPTY(path, c.Cooked) }, listens: true}
	case "fuse":
		return newFUSE(t, tp, dir)
	case "file":
		ch = &still{make: func(path string) error { return writeTape(path, tp) }}
	case "link":
		ch = &still{make: func(path string) error { return os.Symlink(c.Target, path) }}
	}
	t.Cleanup(func() { _ = ch.unplug() })
	return ch
}

// still is a device that does nothing by itself.
type still struct {
	make func(path string) error
	path string
}

func (s *still) plug(path string) error {
	s.path = path
	return s.make(path)
}

func (s *still) unplug() error { return os.Remove(s.path) }

// writeTape makes a regular file of what the tape holds so far.
func writeTape(path string, tp *tape) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		data, err := tp.next(ctx, 1<<16)
		if err != nil {
			return nil // the tape would wait
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
}

// wire is a device with two ends: a FIFO or a pseudo-terminal. What is written to the near end can be
// read at the far one.
type wire struct {
	tape *tape
	// open makes such a device at path and returns its near end, and the file by which to ask how many
	// bytes nobody has read yet; closing the first is the hang-up.
	open    func(path string) (near, asked *os.File, err error)
	listens bool // what comes back out of the near end was sent to the device

	path   string
	near   *os.File
	asked  *os.File
	cancel context.CancelFunc
	ended  chan struct{}
}

const (
	// wireChunk is written at once, and only while less than that lies unread: so the tape is never
	// far ahead of the daemon.
	wireChunk = 512
	wirePoll  = 5 * time.Millisecond
)

func (w *wire) plug(path string) error {
	near, asked, err := w.open(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.path, w.near, w.asked, w.cancel, w.ended = path, near, asked, cancel, make(chan struct{})
	if w.listens {
		go func() {
			for sent := make([]byte, 256); ; {
				n, err := near.Read(sent) // nobody else hears it
				if w.tape.hear(sent[:n]); err != nil && !errors.Is(err, syscall.EIO) {
					return
				}
				if err != nil { // nobody has the far end
					sleep(ctx, wirePoll)
				}
			}
		}()
	}
	go func() {
		defer close(w.ended)
		for ctx.Err() == nil {
			if n, err := kit.Unread(asked); err != nil || n >= wireChunk {
				sleep(ctx, wirePoll)
				continue
			}
			data, err := w.tape.next(ctx, wireChunk)
			if err != nil {
				return
			}
			if _, err := near.Write(data); err != nil {
				return
			}
		}
	}()
	return nil
}

func (w *wire) unplug() error {
	if w.near == nil {
		return nil
	}
	err := os.Remove(w.path)
	w.cancel()
	w.near.Close() // neither file blocks, so this ends a write that waits
	w.asked.Close()
	<-w.ended
	w.near = nil
	return err
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func openFIFO(path string) (near, asked *os.File, err error) {
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		return nil, nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// Open for both directions it waits for no reader, and readers may come and go.
	near, err = os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	return near, near, err
}

// openPTY makes a pseudo-terminal behind a link, as udev would.
func openPTY(path string, cooked bool) (near, asked *os.File, err error) {
	p, err := kit.OpenPTY("/dev/ptmx")
	if err != nil {
		return nil, nil, err
	}
	if !cooked {
		if err := p.SetRaw(); err != nil {
			return nil, nil, err
		}
	}
	asked, err = os.OpenFile(p.Line, os.O_RDONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	return p.Master, asked, os.Symlink(p.Line, path)
}

// Both kinds of wire deliver exactly what is on the tape, and end when they are unplugged.
func TestWires(t *testing.T) {
	for _, kind := range []string{"fifo", "pty"} {
		t.Run(kind, func(t *testing.T) {
			tp := newTape()
			ch := newChannel(t, &script.Case{Channel: kind}, tp, "")
			path := t.TempDir() + "/device"
			if err := ch.plug(path); err != nil {
				kit.Missing(t, "%v", err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			const size = 10_000
			tp.add(script.Feed{Stream: script.Stream{Name: "G1"}, Bytes: size})
			got, want := make([]byte, size), make([]byte, size)
			_, _ = io.ReadFull(openStream(script.Stream{Name: "G1"}), want)
			if _, err := io.ReadFull(f, got); err != nil || string(got) != string(want) {
				t.Errorf("not what was fed: %v", err)
			}
			if err := ch.unplug(); err != nil {
				t.Error(err)
			}
			if n, err := f.Read(got); n != 0 || err == nil {
				t.Errorf("after the unplug: %d bytes, %v", n, err)
			}
			if _, err := os.Lstat(path); err == nil {
				t.Error("the node is still there")
			}
		})
	}
}
