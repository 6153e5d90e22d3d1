package tty

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/source/stream"
	"github.com/hwrngd/hwrngd/test/kit"
)

// hung is a line whose driver answers no read before it is freed.
type hung struct {
	err         error // of reads
	free        chan struct{}
	reads       atomic.Int32
	opens, shut atomic.Int32
	interrupted sync.Once
	waits       chan struct{} // closed by Interrupt
}

func newHung() *hung {
	return &hung{free: make(chan struct{}), waits: make(chan struct{})}
}

func (h *hung) open(linux.Node) (stream.Stream, error) { h.opens.Add(1); return h, nil }

func (h *hung) Read(b []byte) (int, error) {
	<-h.free
	if h.err != nil {
		return 0, h.err
	}
	if h.reads.Add(1) == 1 {
		return copy(b, strings.Repeat("l", len(b))), nil
	}
	return copy(b, strings.Repeat("n", len(b))), nil
}
func (h *hung) Flush() error { return nil }
func (h *hung) Interrupt()   { h.interrupted.Do(func() { close(h.waits) }) }
func (h *hung) Close() error { h.shut.Add(1); return nil }

// silent is a line that waits for data, as a driver that works does.
type silent struct{ *hung }

func (s silent) open(linux.Node) (stream.Stream, error) { s.opens.Add(1); return s, nil }

func (s silent) Read([]byte) (int, error) {
	<-s.waits
	return 0, os.ErrDeadlineExceeded
}

// node makes a file, whose identity is as good as a device's.
func node(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "line")
	kit.WriteFile(t, path, "", 0o600)
	return path
}

// A hung driver costs one goroutine, however often somebody asks, and nobody waits for it for long.
func TestHungDriver(t *testing.T) {
	path := node(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHung()
		s := newSource(newRig(t, path).opt, h.open, nil)
		for range 20 {
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := s.Read(ctx, make([]byte, 10)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			cancel()
			if took := time.Since(begin); took != time.Second {
				t.Errorf("took %s", took)
			}
		}
		if h.opens.Load() != 1 {
			t.Errorf("%d opens", h.opens.Load())
		}
		begin := time.Now()
		if err := s.Close(); err == nil || time.Since(begin) != closeLimit {
			t.Errorf("closed after %s: %v", time.Since(begin), err)
		}

		// The one that takes its place does not touch the line before.
		second := newHung()
		next := newSource(newRig(t, path).opt, second.open, s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := next.Read(ctx, make([]byte, 10)); !errors.Is(err, context.DeadlineExceeded) || second.opens.Load() != 0 {
			t.Errorf("%v, %d opens", err, second.opens.Load())
		}
		close(h.free)
		synctest.Wait()
		if h.shut.Load() != 1 || second.opens.Load() != 1 {
			t.Errorf("%d closes of the first, %d opens of the second", h.shut.Load(), second.opens.Load())
		}
		close(second.free)
		next.Close()
	})
}

// What comes late goes to the next read, unless it is of a device that was left in between.
func TestLateData(t *testing.T) {
	path, other := node(t), node(t)
	for _, c := range []struct {
		name        string
		left        bool
		cameFirst   bool
		want        string
		opens, lost int
	}{
		{"same device", false, false, "l", 1, flushBytes},
		{"left after the data came", true, true, "n", 2, 200 + flushBytes},
		{"left before the data came", true, false, "n", 2, flushBytes},
	} {
		t.Run(c.name, func(t *testing.T) {
			link := filepath.Join(t.TempDir(), "link")
			relink := func(to string) {
				os.Remove(link)
				if err := os.Symlink(to, link); err != nil {
					t.Fatal(err)
				}
			}
			relink(path)
			synctest.Test(t, func(t *testing.T) {
				h := newHung()
				r := newRig(t, link)
				s := newSource(r.opt, h.open, nil)
				defer s.Close()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				buf := make([]byte, 200)
				if _, err := s.Read(ctx, buf); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				if c.cameFirst {
					close(h.free)
					synctest.Wait()
				}
				if c.left {
					relink(other)
					var changed *source.ChangedError
					if err := s.Watch(); !errors.As(err, &changed) {
						t.Fatal(err)
					}
				}
				if !c.cameFirst {
					close(h.free)
				}
				n, err := s.Read(t.Context(), buf)
				if want := strings.Repeat(c.want, 200-flushBytes); string(buf[:n]) != want || err != nil {
					t.Errorf("%q, %v, want %q", buf[:n], err, want)
				}
				e := r.rec.Events()
				if int(h.opens.Load()) != c.opens || e.Discarded[source.DiscardStartup] != c.lost {
					t.Errorf("%d opens, %d bytes dropped", h.opens.Load(), e.Discarded[source.DiscardStartup])
				}
			})
		})
	}
}

// FC-033: a device that keeps silent may want to be told to send.
func TestHintOfSilence(t *testing.T) {
	path := node(t)
	for _, c := range []struct {
		name, init string
		wait       time.Duration
		want       int
	}{
		{"silent", "", hintAfter, 1},
		{"told to send", "cmdO\n", hintAfter, 0},
		{"not waited for", "", hintAfter - 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, path)
				r.opt.Init = c.init
				s := newSource(r.opt, silent{newHung()}.open, nil)
				defer s.Close()
				for range 2 {
					ctx, cancel := context.WithTimeout(t.Context(), c.wait)
					if n, err := s.Read(ctx, make([]byte, 1)); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%d bytes, %v", n, err)
					}
					cancel()
				}
				if got := r.log.Lines(slog.LevelInfo, "for OneRNG"); len(got) != c.want {
					t.Errorf("logged %q", got)
				}
			})
		})
	}
}

func TestReadErrors(t *testing.T) {
	path := node(t)
	for _, c := range []struct {
		err  error
		gone bool
	}{
		{io.EOF, true},
		{&os.PathError{Op: "read", Path: path, Err: syscall.EIO}, true},
		{syscall.ENODEV, true},
		{syscall.ENXIO, true},
		{syscall.EPROTO, false},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHung()
				h.err = c.err
				close(h.free)
				s := newSource(newRig(t, path).opt, h.open, nil)
				defer s.Close()
				for i := range 3 {
					_, err := s.Read(t.Context(), make([]byte, 10))
					if c.gone {
						sourcetest.WantUnavailable(t, err, path+" hung up: ", "unplugged", false)
					}
					if _, unavailable := errors.AsType[*source.UnavailableError](err); unavailable != c.gone || !errors.Is(err, c.err) {
						t.Errorf("got %v", err)
					}
					if opens, shut := int(h.opens.Load()), int(h.shut.Load()); opens != i+1 || shut != opens {
						t.Errorf("%d opens and %d closes after %d failed reads", opens, shut, i+1)
					}
				}
			})
		})
	}
}
