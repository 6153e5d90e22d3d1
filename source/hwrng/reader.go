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
	requests chan request
	results  chan result
	ended    chan struct{} // closed when the goroutine has ended
	pending  bool          // a request is on its way
}

// request asks for at most n bytes of the file node. A device that was opened as another file is
// opened again.
type request struct {
	n    int
	node linux.Node
}

// result is the outcome of one request.
type result struct {
	data   []byte // valid until the next request
	opened bool   // the device was opened for it
	took   time.Duration
	err    error
	gone   bool // err says that the device is no longer there
}

// newReader returns a reader that does nothing before after is closed; nil means at once.
func newReader(open func() (device, error), after <-chan struct{}) *reader {
	r := &reader{open: open, requests: make(chan request, 1), results: make(chan result, 1), ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		if after != nil {
			<-after
		}
		r.loop()
	}()
	return r
}

// read asks for at most n bytes and waits for them or for ctx. A request outlives its context:
// the next read gets what it brings.
func (r *reader) read(ctx context.Context, n int, node linux.Node) (result, error) {
	if !r.pending {
		r.requests <- request{min(n, maxRead), node}
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

// close lets the goroutine end as soon as the kernel lets go of it. A request that it has not taken
// yet is taken back.
func (r *reader) close() {
	select {
	case <-r.requests:
	default:
	}
	close(r.requests)
}

func (r *reader) loop() {
	var (
		dev      device
		opened   linux.Node // that dev was, as the request had it
		buf      [maxRead]byte
		failures int
	)
	for req := range r.requests {
		var res result
		if dev != nil && !opened.Same(req.node) {
			dev.Close()
			dev, failures = nil, 0
		}
		if dev == nil {
			if dev, res.err = r.open(); res.err != nil {
				r.results <- res
				continue
			}
			res.opened, opened = true, req.node
		}
		begin := time.Now()
		n, err := dev.Read(buf[:req.n])
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
