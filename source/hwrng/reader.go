package hwrng

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
)

// maxRead is the most that one read asks for, in bytes.
const maxRead = fips.BlockBytes

// reopenAfter is how many failed reads in a row lead to a fresh open: some descriptors stay dead.
const reopenAfter = 3

// device is what a reader reads from. *linux.Device is the real one.
type device interface {
	io.ReadCloser
	Node() linux.Node
}

// reader opens and reads a device in a goroutine of its own. Both calls can hang in the kernel
// for ever, where nothing but the end of the process frees them; so nobody joins that goroutine,
// and there is never more than one.
type reader struct {
	open     func() (device, error)
	requests chan int
	results  chan result
	pending  bool // a request is on its way
}

// result is the outcome of one request.
type result struct {
	data   []byte // valid until the next request
	opened bool   // the device was opened for it
	took   time.Duration
	err    error
	gone   bool // err says that the device is no longer there
}

func newReader(open func() (device, error)) *reader {
	r := &reader{open: open, requests: make(chan int, 1), results: make(chan result, 1)}
	go r.loop()
	return r
}

// read asks for at most n bytes and waits for them or for ctx. A request outlives its context:
// the next read gets what it brings.
func (r *reader) read(ctx context.Context, n int) (result, error) {
	if !r.pending {
		r.requests <- min(n, maxRead)
		r.pending = true
	}
	select {
	case res := <-r.results:
		r.pending = false
		return res, nil
	case <-ctx.Done():
		return result{}, ctx.Err()
	}
}

// close lets the goroutine end as soon as the kernel lets go of it.
func (r *reader) close() { close(r.requests) }

func (r *reader) loop() {
	var (
		dev      device
		buf      [maxRead]byte
		failures int
	)
	for n := range r.requests {
		var res result
		if dev == nil {
			if dev, res.err = r.open(); res.err != nil {
				r.results <- res
				continue
			}
			res.opened = true
		}
		begin := time.Now()
		n, err := dev.Read(buf[:n])
		res.data, res.took, res.err = buf[:n], time.Since(begin), err
		res.gone = gone(err, dev.Node())
		if err == nil || errors.Is(err, io.EOF) && !res.gone {
			failures = 0
		} else if failures++; res.gone || failures >= reopenAfter {
			dev.Close()
			dev, failures = nil, 0
		}
		r.results <- res
	}
	clear(buf[:])
	if dev != nil {
		dev.Close()
	}
}

// gone tells whether a read error means that the device is no longer there. A regular file at its
// end is kept open, for a fresh open would read the same bytes again.
func gone(err error, node linux.Node) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, io.EOF) && node.Type != linux.RegularFile
}
