package audit

import (
	"io"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// piece is what the passes take at a time: whole blocks that arrived together.
type piece struct {
	data    []byte
	prime   int           // length of the word before the first block, with which data begins
	arrived time.Duration // since the Meter was made
}

// count runs both passes over a piece. It returns how many bytes of it they took.
func (m *Meter) count(p piece) (taken int) {
	taken = m.countBlocks(p)
	m.streamPass.add(p, taken)
	return taken
}

// countBlocks runs the first pass.
func (m *Meter) countBlocks(p piece) (taken int) {
	taken = m.blockPass.add(p)
	m.blocks.Store(m.blockPass.blocks)
	m.failed.Store(m.blockPass.fips1402.Any)
	return taken
}

// ReadFrom takes what the reader gives, until the reader ends or fails or the Meter takes no more. It
// returns the number of bytes taken, and the reader's error or ErrStop. Where OnBlock told it to
// stop, more may have been read than was taken.
//
// It counts while it reads, on two processors if it may. A block is counted when the read returns that
// makes it whole. A read may be for 250 kB: where a slow device fills the whole of a buffer before it
// returns, the reader should ask it for less.
func (m *Meter) ReadFrom(r io.Reader) (int64, error) {
	if m.stopped {
		return 0, ErrStop
	}
	before := m.bytes.Load()
	line := newPipeline(m)
	buffer := line.buffer()[:m.prime()+maxPiece*fips.BlockBytes]
	filled := copy(buffer, m.pending)
	handed := 0 // bytes of buffer that were handed on
	var err error
	for err == nil && m.room() > 0 && !m.blockPass.stopped {
		var n int
		n, err = readSome(r, buffer[filled:min(int64(len(buffer)), int64(filled)+m.room())])
		filled += n
		m.bytes.Add(int64(n))
		size := m.whole(filled - handed)
		if size == 0 {
			continue
		}
		s := step{piece: m.piece(buffer[handed:handed+size], time.Since(m.started))}
		handed += size
		if handed < len(buffer) {
			line.hand(s)
			continue
		}
		s.emptied = buffer
		line.hand(s)
		buffer = line.buffer()[:maxPiece*fips.BlockBytes]
		filled, handed = 0, 0
	}
	line.finish()
	m.pending = append(m.pending[:0], buffer[handed:filled]...)
	m.settle()
	if m.stopped {
		m.pending = m.pending[:0] // nothing, or what came after the last block
		err = ErrStop
	}
	if err == io.EOF {
		err = nil
	}
	return m.bytes.Load() - before, err
}

// readSome reads until there is something, or an error.
func readSome(r io.Reader, p []byte) (n int, err error) {
	for range 100 {
		if n, err = r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// pipeline runs the passes while ReadFrom reads: each in a goroutine of its own, or without any.
type pipeline struct {
	meter             *Meter
	free              chan []byte   // buffers
	made              int           // of them
	toBlock, toStream chan step     // nil if there are no goroutines
	judged            chan struct{} // blockPass has done a step that OnBlock had to see
	done              chan struct{}
}

// step is a piece on its way.
type step struct {
	piece   piece
	taken   int    // bytes, by blockPass
	emptied []byte // the buffer that ends with the piece
}

// maxBuffers is how many buffers there may be: one for each of the passes and for reading, and one to
// make up for their different paces.
const maxBuffers = 4

func newPipeline(m *Meter) *pipeline {
	l := &pipeline{meter: m, free: make(chan []byte, maxBuffers)}
	if m.options.Workers == 1 {
		return l
	}
	l.toBlock, l.toStream = make(chan step, maxBuffers), make(chan step, maxBuffers)
	l.judged, l.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(l.toStream)
		for s := range l.toBlock {
			s.taken = m.countBlocks(s.piece)
			if m.options.OnBlock != nil {
				l.judged <- struct{}{}
			}
			l.toStream <- s
		}
	}()
	go func() {
		defer close(l.done)
		for s := range l.toStream {
			m.streamPass.add(s.piece, s.taken)
			l.recycle(s)
		}
	}()
	return l
}

// buffer returns a buffer for a whole piece.
func (l *pipeline) buffer() []byte {
	if len(l.free) == 0 && l.made < maxBuffers {
		l.made++
		return make([]byte, primeBytes+maxPiece*fips.BlockBytes)
	}
	return <-l.free
}

// recycle makes a buffer free that is not needed any more.
func (l *pipeline) recycle(s step) {
	if s.emptied != nil {
		l.free <- s.emptied[:cap(s.emptied)]
	}
}

// hand hands on the next piece. If OnBlock sees its blocks, it returns after that.
func (l *pipeline) hand(s step) {
	if l.toBlock == nil {
		l.meter.count(s.piece)
		l.recycle(s)
		return
	}
	l.toBlock <- s
	if l.meter.options.OnBlock != nil {
		<-l.judged
	}
}

// finish waits until all was counted.
func (l *pipeline) finish() {
	if l.toBlock != nil {
		close(l.toBlock)
		<-l.done
	}
}
