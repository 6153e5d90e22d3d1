// Package stream reads a byte stream, such as a terminal line or a program's output, whose every call
// can hang, and whose data should be fresh.
package stream

import (
	"context"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
)

// maxRead is the most that one read asks for, in bytes.
const maxRead = fips.BlockBytes

// staleAfter is the default of [Reader.Stale].
const staleAfter = time.Second

// Stream is what a Reader reads from.
type Stream interface {
	Read([]byte) (int, error)
	Flush() error // drops what has come and was not read
	Interrupt()   // ends a read that waits; may be called while another method runs
	Close() error
}

// Opener opens a stream. It may return neither a stream nor an error, if that is not worth one.
type Opener func() (Stream, error)

// Reader opens, reads and closes a stream in a goroutine of its own. Each of these calls can hang in the
// kernel, where nothing but the end of the process frees it; so nobody joins that goroutine without
// a limit, and there is never more than one. A read that only waits for data can be interrupted.
type Reader struct {
	// Stale is the pause between two reads after which the stream is flushed first; it may be set before
	// the first Read. The kernel goes on to fill its buffer (4 KiB of a line and as much again in the
	// driver, 64 KiB of a pipe) while nobody reads, and data for a seed should be fresh: in a copy of a
	// virtual machine what lies there is no secret.
	Stale time.Duration

	requests chan request
	results  chan Result
	ended    chan struct{}
	pending  bool // a request is on its way

	// The stream stays open as long as the lease of the request that it was opened for.
	lease context.Context
	end   context.CancelFunc
}

type request struct {
	lease context.Context
	n     int
	stale time.Duration
	open  Opener
}

// Result is the outcome of one request. It is empty if the reader was told to leave the stream, or if
// there was none.
type Result struct {
	Data   []byte // valid until the next request
	Opened bool   // the stream was opened for it
	Fresh  bool   // what the kernel held from before was dropped first
	Took   time.Duration
	Err    error // of open, flush or read; the stream has been closed
}

// New returns a reader that does nothing before after is closed; nil means at once.
func New(after <-chan struct{}) *Reader {
	r := &Reader{
		Stale:    staleAfter,
		requests: make(chan request, 1), results: make(chan Result, 1), ended: make(chan struct{}),
	}
	r.lease, r.end = context.WithCancel(context.Background())
	go func() {
		defer close(r.ended)
		if after != nil {
			<-after
		}
		r.loop()
	}()
	return r
}

// Ended is closed when the reader has closed its stream for the last time.
func (r *Reader) Ended() <-chan struct{} { return r.ended }

// Read asks for at most n bytes of the present stream, or of the one that open opens if there is none,
// and waits for them or for ctx, whose error is the only one. A request outlives its context: the next
// Read gets what it brings.
func (r *Reader) Read(ctx context.Context, n int, open Opener) (Result, error) {
	if !r.pending {
		r.requests <- request{r.lease, min(n, maxRead), r.Stale, open}
		r.pending = true
	}
	select {
	case res := <-r.results:
		r.pending = false
		return res, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// Drop has the stream closed, and waits for nothing. It tells whether a request is under way, which may
// still bring data of that stream.
func (r *Reader) Drop() (underWay bool) {
	r.end()
	r.lease, r.end = context.WithCancel(context.Background())
	return r.pending
}

// Close ends the goroutine, which closes the stream, as soon as the kernel lets go of it. It waits for
// nothing.
func (r *Reader) Close() {
	select {
	case <-r.requests: // not taken yet
	default:
	}
	r.end()
	close(r.requests)
}

func (r *Reader) loop() {
	var l leased
	defer l.close()
	defer func() { clear(l.buf[:]) }()
	for {
		select {
		case req, more := <-r.requests:
			if !more {
				return
			}
			r.results <- l.serve(req)
		case <-l.left():
			l.close()
		}
	}
}

// leased is the stream of a reader, if there is one.
type leased struct {
	stream Stream // nil if closed
	lease  context.Context
	last   time.Duration // when the last read ended
	buf    [maxRead]byte
}

// left is closed when the stream is to be closed.
func (l *leased) left() <-chan struct{} {
	if l.stream == nil {
		return nil
	}
	return l.lease.Done()
}

func (l *leased) close() {
	if l.stream != nil {
		l.stream.Close() // what it could not give back is lost
		l.stream = nil
	}
}

func (l *leased) serve(req request) (res Result) {
	if l.stream != nil && l.lease.Err() != nil {
		l.close()
	}
	if l.stream == nil {
		stream, err := req.open()
		if stream == nil {
			return Result{Err: err}
		}
		l.stream, l.lease = stream, req.lease
		res.Opened, res.Fresh = true, true
	} else if linux.Boottime()-l.last > req.stale {
		res.Fresh, res.Err = true, l.stream.Flush()
	}
	if res.Err == nil {
		stop := context.AfterFunc(req.lease, l.stream.Interrupt)
		begin := time.Now()
		n, err := l.stream.Read(l.buf[:req.n])
		res.Data, res.Took, res.Err = l.buf[:n], time.Since(begin), err
		l.last = linux.Boottime()
		stop()
	}
	switch {
	case req.lease.Err() != nil: // the interruption is no news
		l.close()
		return Result{}
	case res.Err != nil:
		l.close()
	}
	return res
}
