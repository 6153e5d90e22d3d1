package stream

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// player is a scripted stream. A read waits for the next of reads, or for an interruption; if deaf, for
// the former alone.
type player struct {
	reads       chan error // nil gives "data"
	deaf        bool
	once        sync.Once
	interrupted chan struct{}

	flushErr              error
	opens, shuts, flushes int // of the reader's goroutine; to be read when it waits
}

func newPlayer() *player {
	return &player{reads: make(chan error, 16), interrupted: make(chan struct{})}
}

func (p *player) open() (Stream, error) { p.opens++; return p, nil }

func (p *player) Read(b []byte) (int, error) {
	interrupted := p.interrupted
	if p.deaf {
		interrupted = nil
	}
	select {
	case err := <-p.reads:
		if err != nil {
			return 0, err
		}
		return copy(b, "data"), nil
	case <-interrupted:
		return 0, os.ErrDeadlineExceeded
	}
}

func (p *player) Flush() error { p.flushes++; return p.flushErr }
func (p *player) Interrupt()   { p.once.Do(func() { close(p.interrupted) }) }
func (p *player) Close() error { p.shuts++; return nil }

// giveUp asks for data and does not wait for it as long as it takes.
func giveUp(t *testing.T, r *Reader, open Opener) {
	t.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := r.Read(ctx, 10, open); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
		t.Errorf("%v after %s", err, time.Since(begin))
	}
}

func TestRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPlayer(), New(nil)
		for i, want := range []struct {
			err    error
			opened bool
		}{{nil, true}, {nil, false}, {io.EOF, false}, {io.EOF, true}, {nil, true}} {
			p.reads <- want.err
			res, err := r.Read(t.Context(), 10, p.open)
			if err != nil || !errors.Is(res.Err, want.err) || res.Opened != want.opened || want.opened && !res.Fresh || (string(res.Data) == "data") != (want.err == nil) {
				t.Errorf("read %d: %+v, %v", i, res, err)
			}
		}
		r.Close()
		<-r.Ended()
		if p.opens != 3 || p.shuts != 3 {
			t.Errorf("%d opens, %d closes", p.opens, p.shuts)
		}
	})
}

func TestOpenFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPlayer(), New(nil)
		defer r.Close()
		for _, want := range []error{os.ErrPermission, nil} {
			res, err := r.Read(t.Context(), 10, func() (Stream, error) { return nil, want })
			if err != nil || !errors.Is(res.Err, want) || res.Opened || len(res.Data) > 0 {
				t.Errorf("%+v, %v", res, err)
			}
		}
		p.reads <- nil
		if res, err := r.Read(t.Context(), 10, p.open); err != nil || !res.Opened {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// A hung call costs one goroutine, however often somebody asks; what it brings in the end is not lost.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPlayer(), New(nil)
		p.deaf = true
		for range 20 {
			giveUp(t, r, p.open)
		}
		p.reads <- nil
		res, err := r.Read(t.Context(), 10, p.open)
		if err != nil || string(res.Data) != "data" || res.Took != 20*time.Second || p.opens != 1 {
			t.Errorf("%+v, %v, %d opens", res, err, p.opens)
		}
		giveUp(t, r, p.open)
		r.Close()
		next := New(r.Ended())
		second := newPlayer()
		giveUp(t, next, second.open)
		if second.opens != 0 {
			t.Error("a second one beside the one that hangs")
		}
		p.reads <- nil // the kernel lets go
		second.reads <- nil
		synctest.Wait()
		if p.shuts != 1 || second.opens != 1 {
			t.Errorf("%d closes, %d opens of the next", p.shuts, second.opens)
		}
		next.Close()
	})
}

// A stream that is left is closed at once, whatever its reader does.
func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name     string
		before   func(*testing.T, *Reader, *player)
		underWay bool
		data     string // of the request under way
	}{
		{"while it waits for data", func(t *testing.T, r *Reader, p *player) { giveUp(t, r, p.open) }, true, ""},
		{"after data came that nobody fetched", func(t *testing.T, r *Reader, p *player) {
			giveUp(t, r, p.open)
			p.reads <- nil
			synctest.Wait()
		}, true, "data"},
		{"between two reads", func(t *testing.T, r *Reader, p *player) {
			p.reads <- nil
			if _, err := r.Read(t.Context(), 10, p.open); err != nil {
				t.Fatal(err)
			}
		}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, r := newPlayer(), New(nil)
				defer r.Close()
				c.before(t, r, p)
				if r.Drop() != c.underWay {
					t.Errorf("under way: %v", !c.underWay)
				}
				synctest.Wait()
				if p.shuts != 1 {
					t.Error("the stream stays open")
				}
				next := newPlayer()
				next.reads <- nil
				if c.underWay {
					if res, err := r.Read(t.Context(), 10, next.open); err != nil || res.Err != nil || string(res.Data) != c.data || next.opens != 0 {
						t.Errorf("%+v, %v, %d opens", res, err, next.opens)
					}
				}
				if res, err := r.Read(t.Context(), 10, next.open); err != nil || !res.Opened || string(res.Data) != "data" {
					t.Errorf("%+v, %v", res, err)
				}
			})
		})
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPlayer(), New(nil)
		giveUp(t, r, p.open)
		begin := time.Now()
		r.Close()
		<-r.Ended()
		if p.shuts != 1 || time.Since(begin) != 0 {
			t.Errorf("%d closes after %s", p.shuts, time.Since(begin))
		}
	})
}

// What the kernel kept while nobody read is dropped.
func TestStale(t *testing.T) {
	p, r := newPlayer(), New(nil)
	defer r.Close()
	for i, c := range []struct {
		stale time.Duration
		fresh bool
		err   error // of the flush
	}{{0, true, nil}, {time.Hour, false, nil}, {0, true, nil}, {0, true, io.ErrUnexpectedEOF}} {
		time.Sleep(time.Millisecond)
		p.flushErr = c.err
		p.reads <- nil
		r.Stale = c.stale
		res, err := r.Read(t.Context(), 10, p.open)
		if err != nil || res.Fresh != c.fresh || !errors.Is(res.Err, c.err) || (len(res.Data) > 0) != (c.err == nil) {
			t.Errorf("read %d: %+v, %v", i, res, err)
		}
	}
	if p.flushes != 2 || p.shuts != 1 {
		t.Errorf("%d flushes, %d closes", p.flushes, p.shuts)
	}
	if r := New(nil); r.Stale != staleAfter {
		t.Errorf("default %s", r.Stale)
	} else {
		r.Close()
	}
}
