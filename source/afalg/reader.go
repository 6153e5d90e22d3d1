package afalg

import (
	"context"
	"io"
)

// opener opens a generator by its driver's name.
type opener func(driver string) (io.ReadCloser, error)

// reader opens and reads generators in a goroutine of its own. A hung engine holds it in the kernel,
// where nothing but the end of the process frees it; so nobody joins that goroutine.
type reader struct {
	open     opener
	requests chan request
	results  chan result
	pending  bool // a request is on its way
}

// request asks for at most n bytes of a generator.
type request struct {
	driver string
	n      int
}

// result is the outcome of one request.
type result struct {
	driver string
	data   []byte // valid until the next request
	opened bool   // err is of the read; else of the open
	err    error
}

func newReader(open opener) *reader {
	r := &reader{open: open, requests: make(chan request, 1), results: make(chan result, 1)}
	go r.loop()
	return r
}

// read asks for at most n bytes of a generator and waits for them or for ctx. A request outlives its
// context: the next read gets what it brings, unless that is of another generator.
func (r *reader) read(ctx context.Context, driver string, n int) (result, error) {
	for {
		if !r.pending {
			r.requests <- request{driver, n}
			r.pending = true
		}
		select {
		case res := <-r.results:
			r.pending = false
			if res.driver == driver {
				return res, nil
			}
			clear(res.data)
		case <-ctx.Done():
			return result{}, ctx.Err()
		}
	}
}

// close lets the goroutine end as soon as the kernel lets go of it.
func (r *reader) close() { close(r.requests) }

func (r *reader) loop() {
	var (
		generator io.ReadCloser
		driver    string
		buf       [maxRead]byte
	)
	shut := func() {
		if generator != nil {
			generator.Close()
			generator = nil
		}
	}
	for req := range r.requests {
		res := result{driver: req.driver}
		if driver != req.driver {
			shut()
		}
		if generator == nil {
			generator, res.err = r.open(req.driver)
			if res.err != nil {
				generator = nil
				r.results <- res
				continue
			}
			driver = req.driver
		}
		res.opened = true
		n, err := generator.Read(buf[:min(req.n, maxRead)])
		if res.data, res.err = buf[:n], err; err != nil {
			shut() // some stay dead until they are opened anew
		}
		r.results <- res
	}
	clear(buf[:])
	shut()
}
