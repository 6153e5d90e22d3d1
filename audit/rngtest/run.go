package rngtest

import (
	"context"
	"io"
	"math"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

const (
	// wordBytes is the length of the bootstrap word, and of what precedes it with Pipe.
	wordBytes = 4
	// aheadBytes is what a read with ReadAhead asks for: whole blocks, few enough to stay in the
	// cache between read and test.
	aheadBytes = 100 * fips.BlockBytes
)

// Config is what a run needs.
type Config struct {
	Options
	Input io.Reader
	// ReadAhead allows reads of many blocks. It is for inputs whose reads return what is there, as
	// those of files and pipes do. A generator's device makes a read wait until it is complete.
	ReadAhead bool
	Output    io.Writer // for good blocks, with Pipe
	Messages  io.Writer // for all else: standard error
	Banner    string    // the first line
}

// Result is what came of a run.
type Result int

// The results.
const (
	Passed Result = iota // at least one block, and all blocks passed
	Failed               // a block failed, or there was none
	Broken               // input or output failed
)

// Run tests the input until it ends, BlockCount is reached or ctx is done. Then it prints
// statistics, unless not even the bootstrap word had come. It does not wait for a read or a write
// that hangs: these go on until the process ends. Errors of Messages are ignored.
func Run(ctx context.Context, c Config) Result {
	start := time.Now()
	return run(ctx, c, func() time.Duration { return time.Since(start) })
}

func run(ctx context.Context, c Config, clock func() time.Duration) Result {
	r := &runner{Config: c, clock: clock, statistics: statistics{pipe: c.Pipe}}
	if !c.Pipe {
		r.tell(c.Banner + "\n\n" + prefix + "starting FIPS tests...\n")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.work()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if !r.primed {
		return Failed // also if the input failed, as in rngtest
	}
	r.dump()
	switch {
	case r.broken:
		return Broken
	case r.bad > 0 || r.good == 0:
		return Failed
	}
	return Passed
}

// runner is a run. Its worker holds mu unless it waits for input or output, so that whoever gets
// hold of it finds everything as it is between two blocks.
type runner struct {
	Config
	clock func() time.Duration // since the start

	mu     sync.Mutex
	over   bool // the worker has to stop, and to print nothing more
	primed bool // the bootstrap word has come
	broken bool // input or output failed
	statistics

	tester   fips.Tester
	now      time.Duration // the last reading of clock
	dumped   time.Duration // when statistics were printed last, or testing began
	undumped int64         // blocks since then
}

// work does everything but the first lines and the last statistics.
func (r *runner) work() {
	if r.primed = r.bootstrap(); !r.primed {
		return
	}
	r.lap()
	r.dumped = r.now
	left := int64(math.MaxInt64) // to read
	if r.BlockCount > 0 {
		left = r.BlockCount * fips.BlockBytes
	}
	size := int64(fips.BlockBytes)
	if r.ReadAhead {
		size = aheadBytes
	}
	buf := make([]byte, min(size, left))
	have := 0 // bytes in buf
	var waited time.Duration
	for left > 0 {
		n, ok := r.read(buf[have:min(int64(len(buf)), int64(have)+left)])
		if !ok {
			return
		}
		waited += r.lap()
		left -= int64(n)
		have += n
		if whole := have / fips.BlockBytes; whole > 0 {
			r.part = 0
			for i := range whole {
				block := (*[fips.BlockBytes]byte)(buf[i*fips.BlockBytes:])
				r.input.add(waited / time.Duration(whole))
				if !r.block(block) {
					return
				}
			}
			waited = 0
			have = copy(buf, buf[whole*fips.BlockBytes:have])
		}
		r.part = int64(have)
	}
}

// bootstrap reads what precedes the first block.
func (r *runner) bootstrap() bool {
	buf := make([]byte, wordBytes, 2*wordBytes)
	if r.Pipe {
		buf = buf[:2*wordBytes]
	}
	for rest := buf; len(rest) > 0; {
		n, ok := r.read(rest)
		if !ok {
			return false
		}
		rest = rest[n:]
	}
	r.received = int64(len(buf))
	r.tester.Prime([wordBytes]byte(buf[len(buf)-wordBytes:]))
	return true
}

// block tests a block, passes it on, and prints statistics when they are due: never after the last
// block of BlockCount, which is followed by the last statistics.
func (r *runner) block(block *[fips.BlockBytes]byte) bool {
	failed := r.tester.Block(block)
	r.tests.add(r.lap())
	r.received += fips.BlockBytes
	r.count(failed)
	if r.Pipe && failed == 0 {
		if !r.write(block[:]) {
			return false
		}
		r.output.add(r.lap())
	}
	if r.good+r.bad == r.BlockCount {
		return true
	}
	r.undumped++
	if (r.BlockStats > 0 && r.undumped >= r.BlockStats) || (r.TimedStats > 0 && r.now-r.dumped > r.TimedStats) {
		r.dump()
		r.lap() // printing is no part of any speed
		r.dumped, r.undumped = r.now, 0
	}
	return true
}

// lap returns the time since the last lap.
func (r *runner) lap() time.Duration {
	last := r.now
	r.now = r.clock()
	return r.now - last
}

// dump prints statistics.
func (r *runner) dump() { r.tell(string(r.text(r.clock()))) }
