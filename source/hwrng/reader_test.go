package hwrng

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// inBubble runs a test of a reader on a scripted device. In a bubble a goroutine that is left
// behind, or one that waits for another, fails the test at once instead of after a time-out.
func inBubble(t *testing.T, test func(t *testing.T, p *player, r *reader), steps ...step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(steps...)
		r := newReader(p.open, nil)
		test(t, p, r)
		r.close()
		close(p.steps) // lets go of a read that hangs
		synctest.Wait()
		if opens, _, shut := p.counts(); p.openErr == nil && opens != shut {
			t.Errorf("%d opens, %d closes", opens, shut)
		}
	})
}

// outcome is what a test expects of one read.
type outcome struct {
	data   string
	err    error
	opened bool
	gone   bool
}

func check(t *testing.T, r *reader, i int, want outcome) {
	t.Helper()
	res, err := r.read(t.Context(), 64, linux.Node{})
	if err != nil {
		t.Fatalf("read %d: %v", i, err)
	}
	if string(res.data) != want.data || !errors.Is(res.err, want.err) || (res.err == nil) != (want.err == nil) ||
		res.opened != want.opened || res.gone != want.gone {
		t.Errorf("read %d: got %q, %v, opened %v, gone %v, want %+v", i, res.data, res.err, res.opened, res.gone, want)
	}
}

func TestReader(t *testing.T) {
	ok := func(s string) step { return give([]byte(s)) }
	eio, eagain := fail(syscall.EIO), fail(syscall.EAGAIN)
	fifo, file := linux.Node{Type: linux.FIFO}, linux.Node{Type: linux.RegularFile}
	for _, c := range []struct {
		name  string
		node  linux.Node // a character device if empty
		steps []step
		want  []outcome
	}{
		{"short reads", linux.Node{}, []step{ok("a"), ok("bcd"), ok("e")}, []outcome{
			{data: "a", opened: true}, {data: "bcd"}, {data: "e"},
		}},
		{"no data at the moment", linux.Node{}, []step{eagain, eagain, ok("a")}, []outcome{
			{err: syscall.EAGAIN, opened: true}, {err: syscall.EAGAIN}, {data: "a"},
		}},
		{"three errors in a row", linux.Node{}, []step{ok("a"), eio, eio, eio, ok("b")}, []outcome{
			{data: "a", opened: true}, {err: syscall.EIO}, {err: syscall.EIO}, {err: syscall.EIO}, {data: "b", opened: true},
		}},
		{"different errors in a row", linux.Node{}, []step{eio, eagain, fail(syscall.EINVAL), ok("b")}, []outcome{
			{err: syscall.EIO, opened: true}, {err: syscall.EAGAIN}, {err: syscall.EINVAL}, {data: "b", opened: true},
		}},
		{"every third read fails", linux.Node{}, []step{ok("a"), ok("b"), eio, ok("c"), ok("d"), eio, ok("e"), ok("f"), eio, ok("g")}, []outcome{
			{data: "a", opened: true}, {data: "b"}, {err: syscall.EIO}, {data: "c"}, {data: "d"}, {err: syscall.EIO}, {data: "e"}, {data: "f"}, {err: syscall.EIO}, {data: "g"},
		}},
		{"errors that data separates", linux.Node{}, []step{eio, eio, ok("a"), eio, eio, ok("b")}, []outcome{
			{err: syscall.EIO, opened: true}, {err: syscall.EIO}, {data: "a"}, {err: syscall.EIO}, {err: syscall.EIO}, {data: "b"},
		}},
		{"count starts anew with each open", linux.Node{}, []step{eio, eio, eio, eio, eio, ok("a")}, []outcome{
			{err: syscall.EIO, opened: true}, {err: syscall.EIO}, {err: syscall.EIO}, {err: syscall.EIO, opened: true}, {err: syscall.EIO}, {data: "a"},
		}},
		{"device gone", linux.Node{}, []step{fail(syscall.ENODEV), ok("a")}, []outcome{
			{err: syscall.ENODEV, opened: true, gone: true}, {data: "a", opened: true},
		}},
		{"device gone, wrapped", linux.Node{}, []step{fail(&os.PathError{Op: "read", Path: "x", Err: syscall.ENODEV}), ok("a")}, []outcome{
			{err: syscall.ENODEV, opened: true, gone: true}, {data: "a", opened: true},
		}},
		{"end of a character device", linux.Node{}, []step{ok("a"), fail(io.EOF), ok("b")}, []outcome{
			{data: "a", opened: true}, {err: io.EOF, gone: true}, {data: "b", opened: true},
		}},
		{"end of a FIFO", fifo, []step{fail(io.EOF), ok("b")}, []outcome{
			{err: io.EOF, opened: true, gone: true}, {data: "b", opened: true},
		}},
		// FC-097: a second open would deliver the same bytes again.
		{"end of a file", file, []step{ok("a"), fail(io.EOF), fail(io.EOF), fail(io.EOF), fail(io.EOF), fail(io.EOF), fail(io.EOF), fail(io.EOF)}, []outcome{
			{data: "a", opened: true}, {err: io.EOF}, {err: io.EOF}, {err: io.EOF}, {err: io.EOF}, {err: io.EOF}, {err: io.EOF}, {err: io.EOF},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *player, r *reader) {
				if c.node != (linux.Node{}) {
					p.node = c.node
				}
				for i, want := range c.want {
					check(t, r, i, want)
				}
			}, c.steps...)
		})
	}
}

func TestReaderOpenFails(t *testing.T) {
	inBubble(t, func(t *testing.T, p *player, r *reader) {
		p.openErr = func(n int) error {
			if n <= 5 {
				return os.ErrPermission
			}
			return nil
		}
		for i := range 5 {
			check(t, r, i, outcome{err: os.ErrPermission})
		}
		check(t, r, 5, outcome{data: "a", opened: true})
		if opens, reads, _ := p.counts(); opens != 6 || reads != 1 {
			t.Errorf("%d opens, %d reads", opens, reads)
		}
	}, give([]byte("a")))
}

func TestReaderSize(t *testing.T) {
	inBubble(t, func(t *testing.T, p *player, r *reader) {
		for _, n := range []int{1, maxRead, maxRead + 1} {
			if res, err := r.read(t.Context(), n, linux.Node{}); err != nil || res.err != nil || len(res.data) > n {
				t.Errorf("%d bytes, %v, %v", len(res.data), res.err, err)
			}
		}
		if got, want := p.rooms(), []int{1, maxRead, maxRead}; !slices.Equal(got, want) {
			t.Errorf("asked for %d, want %d", got, want)
		}
	}, give([]byte("a")), give([]byte("a")), give(letters(4000)))
}

// A hung call costs one goroutine, however often somebody asks, and nobody waits for it.
func TestReaderHangs(t *testing.T) {
	t.Run("read", func(t *testing.T) {
		inBubble(t, func(t *testing.T, p *player, r *reader) {
			for range 20 {
				begin := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if _, err := r.read(ctx, 64, linux.Node{}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				cancel()
				if took := time.Since(begin); took != time.Second {
					t.Errorf("took %s", took)
				}
			}
			if opens, reads, _ := p.counts(); opens != 1 || reads != 1 {
				t.Errorf("%d opens and %d reads for twenty that gave up", opens, reads)
			}
			// What comes late goes to the next read.
			p.steps <- give([]byte("late"))
			synctest.Wait()
			check(t, r, 20, outcome{data: "late", opened: true})
			p.steps <- give([]byte("next"))
			check(t, r, 21, outcome{data: "next"})
		})
	})
	t.Run("read, error comes late", func(t *testing.T) {
		inBubble(t, func(t *testing.T, p *player, r *reader) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := r.read(ctx, 64, linux.Node{}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			p.steps <- fail(syscall.ENODEV)
			check(t, r, 0, outcome{err: syscall.ENODEV, opened: true, gone: true})
		})
	})
	t.Run("open", func(t *testing.T) {
		inBubble(t, func(t *testing.T, p *player, r *reader) {
			hang := make(chan struct{})
			p.openErr = func(int) error { <-hang; return nil }
			for range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if _, err := r.read(ctx, 64, linux.Node{}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				cancel()
			}
			if opens, _, _ := p.counts(); opens != 1 {
				t.Errorf("%d opens", opens)
			}
			close(hang)
			check(t, r, 20, outcome{data: "a", opened: true})
		}, give([]byte("a")))
	})
	t.Run("context already over", func(t *testing.T) {
		inBubble(t, func(t *testing.T, _ *player, r *reader) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := r.read(ctx, 64, linux.Node{}); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// The end of a source does not wait for a hung driver; when the kernel lets go at last, the
// device is closed.
func TestReaderClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer()
		r := newReader(p.open, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.read(ctx, 64, linux.Node{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		begin := time.Now()
		r.close()
		if took := time.Since(begin); took != 0 {
			t.Errorf("close took %s", took)
		}
		time.Sleep(time.Hour)
		if _, _, shut := p.counts(); shut != 0 {
			t.Error("closed under a read")
		}
		p.steps <- give(letters(64))
		synctest.Wait()
		if _, _, shut := p.counts(); shut != 1 {
			t.Error("the device stays open")
		}
	})
}

func TestReaderTimes(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *player, r *reader) {
		for _, want := range []time.Duration{3 * time.Second, 0} {
			if res, err := r.read(t.Context(), 64, linux.Node{}); err != nil || res.took != want {
				t.Errorf("took %s, want %s (%v)", res.took, want, err)
			}
		}
	}, step{data: letters(10), took: 3 * time.Second}, give(letters(1)))
}
