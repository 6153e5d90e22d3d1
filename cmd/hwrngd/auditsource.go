//go:build !minimal

package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/hwrngd/hwrngd/source"
)

// sourceReader is a source as a stream. It may be closed while it is read.
type sourceReader struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex // guards what follows: a source is for one at a time
	src   source.Source
	first []byte // read by begin
}

func newSourceReader(src source.Source) *sourceReader {
	r := &sourceReader{src: src}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// begin waits for the first bytes, which tell whether there is a source at all, and which generator it has.
func (r *sourceReader) begin(ctx context.Context) error {
	defer context.AfterFunc(ctx, r.cancel)()
	buf := make([]byte, firstRead)
	n, err := readSettled(r.ctx, r.src, buf)
	if err != nil {
		err = sourceError(err, r.src.Info())
		r.close()
		return err
	}
	r.first = buf[:n]
	return nil
}

// Read implements io.Reader.
func (r *sourceReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.first) > 0 {
		n := copy(p, r.first)
		r.first = r.first[n:]
		return n, nil
	}
	if err := r.ctx.Err(); err != nil { // it may be closed
		return 0, err
	}
	n, err := r.src.Read(r.ctx, p)
	if errors.Is(err, io.EOF) { // a file may end; if a source does, something is wrong with it
		err = errors.New(err.Error())
	}
	return n, err
}

// close ends a read in progress, which a source always allows at once.
func (r *sourceReader) close() {
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.src.Close() // what it could not give back is lost
}
