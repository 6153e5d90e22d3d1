package audit

import (
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// ErrStop is returned by a Meter that takes no more data: it has MeterOptions.MaxBlocks blocks, or
// MeterOptions.OnBlock told it to stop.
var ErrStop = errors.New("audit: no more blocks are wanted")

// MeterOptions say what a Meter does beside counting. The zero value is for a stream of any length.
type MeterOptions struct {
	// Keep is the number of bytes of the start of the stream that Kept returns.
	Keep int
	// MaxBlocks is the number of blocks after which the Meter takes no more; 0 for no limit.
	MaxBlocks int64
	// OnBlock is called with the FIPS 140-2 verdict on each block, in the order of the stream. When it
	// returns true, that block is the last. It may run in a goroutine of ReadFrom, which reads on
	// only when it has returned.
	OnBlock func(index int64, failed fips.Failure) (stop bool)
	// Workers is the number of processors on which ReadFrom counts while it reads: 1, or 2, which is
	// the most it makes use of. With 1 it reads and counts in turns. 0 is for as many as there are.
	Workers int
}

// primeBytes is the length of the word that comes before the first block. FIPS 140-2 (Change
// Notice 1, 2001-10-10), section 4.9.2: the first block of n bits, here 32, is not used, but saved for
// comparison with the next.
const primeBytes = 4

// maxPiece is how many blocks the passes take at a time: few enough for all of them to find the data
// in the cache of the processor.
const maxPiece = 100

// Meter counts what there is in a stream of bytes. What it counts does not depend on how the stream
// is cut into calls, nor on the number of processors; only Bin.Seconds depends on time.
//
// Of the methods, only Progress may be called while another one runs.
type Meter struct {
	options  MeterOptions
	maxBytes int64
	started  time.Time

	// pending has what was taken but belongs to no piece yet: part of a block, and of the word before
	// the first.
	pending []byte
	begun   bool // there was a first piece
	stopped bool

	blockPass  blockPass
	streamPass streamPass

	bytes, blocks, failed atomic.Int64 // for Progress
}

// NewMeter returns a Meter for one stream. The timeline begins now.
func NewMeter(options MeterOptions) *Meter {
	m := &Meter{
		options:    options,
		maxBytes:   math.MaxInt64,
		started:    time.Now(),
		pending:    make([]byte, 0, primeBytes+fips.BlockBytes),
		blockPass:  blockPass{onBlock: options.OnBlock},
		streamPass: newStreamPass(options.Keep),
	}
	if n := options.MaxBlocks; n > 0 && n < math.MaxInt64/fips.BlockBytes {
		m.maxBytes = blockOffset(n)
	}
	if options.Workers == 0 {
		m.options.Workers = runtime.GOMAXPROCS(0)
	}
	return m
}

// Write takes the next bytes of the stream and counts blocks as soon as they are whole. It returns how
// many bytes it took, and ErrStop if the Meter will take no more, even if it took all of these.
func (m *Meter) Write(data []byte) (taken int, err error) {
	arrived := time.Since(m.started)
	for taken < len(data) && !m.stopped {
		taken += m.take(data[taken:], arrived)
	}
	if m.stopped {
		return taken, ErrStop
	}
	return taken, nil
}

// take takes some of the data: a piece, or what makes a block whole, or all.
func (m *Meter) take(data []byte, arrived time.Duration) (taken int) {
	data = data[:min(int64(len(data)), m.room())]
	if size := m.whole(len(data)); size > 0 && len(m.pending) == 0 {
		m.bytes.Add(int64(size))
		taken = m.count(m.piece(data[:size], arrived))
	} else {
		taken = min(len(data), m.prime()+fips.BlockBytes-len(m.pending))
		m.pending = append(m.pending, data[:taken]...)
		m.bytes.Add(int64(taken))
		if m.whole(len(m.pending)) > 0 {
			m.count(m.piece(m.pending, arrived))
			m.pending = m.pending[:0]
		}
	}
	m.settle()
	return taken
}

// settle finds out whether the Meter takes any more. If it was told to stop, it has not taken what
// came after.
func (m *Meter) settle() {
	if m.blockPass.stopped {
		m.bytes.Store(blockOffset(m.blockPass.blocks))
	}
	m.stopped = m.blockPass.stopped || m.room() == 0
}

// piece returns whole blocks, and the word before the first, as the passes want them.
func (m *Meter) piece(data []byte, arrived time.Duration) piece {
	p := piece{data: data, prime: m.prime(), arrived: arrived}
	m.begun = true
	return p
}

// room returns how many bytes the Meter still takes.
func (m *Meter) room() int64 { return m.maxBytes - m.bytes.Load() }

// prime returns the length of the word that precedes the next block: 0 but for the first.
func (m *Meter) prime() int {
	if m.begun {
		return 0
	}
	return primeBytes
}

// whole returns how many of the next n bytes are a piece.
func (m *Meter) whole(n int) int {
	blocks := min((n-m.prime())/fips.BlockBytes, maxPiece)
	if blocks <= 0 {
		return 0
	}
	return m.prime() + blocks*fips.BlockBytes
}

// Progress returns how many bytes were taken, and of the blocks how many were judged and how many
// failed FIPS 140-2. It may be called at any time from any goroutine.
func (m *Meter) Progress() (bytes, blocks, failed int64) {
	failed = m.failed.Load() // first, so that it never exceeds blocks
	blocks = m.blocks.Load()
	return m.bytes.Load(), blocks, failed
}

// Kept returns the first MeterOptions.Keep bytes of the stream, or as many as there were. The caller
// must not change them.
func (m *Meter) Kept() []byte {
	m.streamPass.addUnfinished(m.pending)
	return m.streamPass.first(m.options.Keep)
}

// Finish returns what was counted so far. The stream may go on after it.
func (m *Meter) Finish() *Run {
	run := &Run{}
	run.Bytes = m.bytes.Load()
	m.blockPass.addTo(run)
	m.streamPass.addUnfinished(m.pending)
	m.streamPass.addTo(run)
	return run
}
