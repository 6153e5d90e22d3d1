//go:build !minimal

package main

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"time"

	"github.com/hwrngd/hwrngd/audit"
)

// Why reading ended, as reports have it.
const (
	stoppedEnd         = "end"
	stoppedBlocks      = "blocks"
	stoppedBytes       = "bytes"
	stoppedDuration    = "duration"
	stoppedConfident   = "confident"
	stoppedInterrupted = "interrupted"
	stoppedError       = "error"
)

const (
	// firstRead and leastRead are sizes of reads of a device. A driver may take its time to fill a
	// buffer, and nothing is known of the device in between.
	firstRead = 512
	leastRead = 64
	// mostRead is what a fast input is read with.
	mostRead = 256 << 10
	// A read of a device should take between these times.
	quickRead = 50 * time.Millisecond
	longRead  = 200 * time.Millisecond
)

// reading is one pass over an input.
type reading struct {
	in      *auditInput
	meter   *audit.Meter
	limit   int64     // bytes to read at most, 0 for all
	limited string    // why reading ends after them
	tee     io.Writer // takes what the meter takes; may be nil
	// notice is called once a second by the goroutine that runs the reading, until it returns false;
	// may be nil.
	notice func() bool

	timing audit.Timing // complete when run has returned
}

// run reads until the input ends, the limit is reached, the meter has had enough, or ctx is done.
func (r *reading) run(ctx context.Context) (stopped string, err error) {
	if r.in.kind == kindFile && r.tee == nil {
		input := &boundedReader{ctx: ctx, reader: r.in.reader, left: r.limit, bounded: r.limit > 0}
		_, err = r.meter.ReadFrom(input)
		return r.reason(ctx, err, input.bounded && input.left == 0)
	}
	return r.pump(ctx)
}

// reason says why reading ended.
func (r *reading) reason(ctx context.Context, err error, full bool) (string, error) {
	switch {
	case errors.Is(err, audit.ErrStop):
		return stoppedConfident, nil
	case full:
		return r.limited, nil
	case ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())):
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return stoppedDuration, nil
		}
		return stoppedInterrupted, nil
	case err == nil || errors.Is(err, io.EOF):
		return stoppedEnd, nil
	}
	return stoppedError, err
}

// boundedReader reads a file that never waits, until it has read enough or nobody wants more.
type boundedReader struct {
	ctx     context.Context
	reader  io.Reader
	left    int64
	bounded bool
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.bounded {
		if b.left == 0 {
			return 0, io.EOF
		}
		p = p[:min(int64(len(p)), b.left)]
	}
	n, err := b.reader.Read(p)
	b.left -= int64(n)
	return n, err
}

// chunk is what one read gave. The buffer goes back to the reader.
type chunk struct {
	buf   []byte
	n     int
	begin time.Time
	took  time.Duration
	err   error
}

// pump reads an input that may keep silent for ever. The reads are in a goroutine that nothing waits
// for; one that hangs ends with the process.
func (r *reading) pump(ctx context.Context) (stopped string, err error) {
	// Two buffers: one is filled while the other is measured.
	free, chunks := make(chan []byte, 2), make(chan chunk, 2)
	free <- make([]byte, mostRead)
	free <- make([]byte, mostRead)
	defer close(free)
	r.timing.Started = time.Now()
	go readChunks(r.in, r.limit, free, chunks)
	defer func() { r.timing.Seconds = time.Since(r.timing.Started).Seconds() }()

	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	notice := r.notice
	for left := r.limit; ; {
		select {
		case c := <-chunks:
			r.note(&c)
			left -= int64(c.n)
			if err := r.take(c.buf[:c.n]); err != nil {
				return r.reason(ctx, err, false)
			}
			full := r.limit > 0 && left == 0
			if full || c.err != nil {
				return r.reason(context.Background(), c.err, full)
			}
			free <- c.buf
		case <-tick.C:
			if notice != nil && !notice() {
				notice = nil
			}
		case <-ctx.Done():
			return r.reason(ctx, nil, false)
		}
	}
}

// take measures data and keeps a copy of exactly what was measured.
func (r *reading) take(data []byte) error {
	n, err := r.meter.Write(data)
	if r.tee != nil {
		if _, err := r.tee.Write(data[:n]); err != nil {
			return err
		}
	}
	return err
}

// readChunks reads until there is an error, the limit is reached, or nobody wants more.
func readChunks(in *auditInput, limit int64, free <-chan []byte, chunks chan<- chunk) {
	size, left := mostRead, limit
	if in.live() {
		size = firstRead
	}
	for buf := range free {
		if limit > 0 {
			size = int(min(int64(size), left))
		}
		c := chunk{buf: buf, begin: time.Now()}
		c.n, c.err = in.reader.Read(buf[:size])
		c.took = time.Since(c.begin)
		chunks <- c // never blocks: there are only two buffers
		left -= int64(c.n)
		if c.err != nil || limit > 0 && left == 0 {
			return
		}
		if in.live() {
			size = nextSize(size, c.n, c.took)
		}
	}
}

// nextSize fits the size of reads of a device to its speed.
func nextSize(size, got int, took time.Duration) int {
	switch {
	case took > longRead:
		return max(size/2, leastRead)
	case took < quickRead && got == size:
		return min(size*2, mostRead)
	}
	return size
}

// note accounts for the time of a read.
func (r *reading) note(c *chunk) {
	if c.n == 0 {
		return
	}
	t := &r.timing
	if t.Reads == 0 {
		t.First = c.begin.Add(c.took).Sub(t.Started).Seconds()
	}
	t.Reads++
	t.Slowest = max(t.Slowest, c.took.Seconds())
	bin := max(bits.Len64(uint64(c.took.Microseconds()))-1, 0)
	t.Latency[min(bin, len(t.Latency)-1)]++
}
