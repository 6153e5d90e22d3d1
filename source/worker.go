package source

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
)

const (
	// watchInterval is how often an idle worker looks at its source's surroundings. The kernel
	// tells nobody when it puts another generator behind /dev/hwrng.
	watchInterval = 10 * time.Second

	// absentCap is the longest pause before the next look for a device that is not there. A look
	// costs a stat and a few sysfs reads.
	absentCap = 5 * time.Second

	// suspendStep is the growth of the suspended time that counts as a resume. The two clocks
	// are read one after the other, so their difference jitters by microseconds.
	suspendStep = time.Second

	// suspectPause is the time between two blocks of a suspect source that nobody asked for: they are
	// read only to see whether it recovers, and a fast one must not take a processor for that.
	suspectPause = 50 * time.Millisecond

	// resumeFlush bytes are dropped after a resume, since they may lie in the device's buffer from
	// before: the hw_random core keeps up to a cache line, 64 bytes seen, twice that for safety.
	resumeFlush = 128
)

// AtRest is the reason of a lazy worker that has not been asked for anything yet.
const AtRest = "at rest, not needed so far"

// Worker owns one source: it reads it, tests it, and hands out passed blocks on demand. Its
// methods are safe for concurrent use; none of them waits for the source.
type Worker struct {
	// AfterFunc is how the worker waits for long; it may be set before Run. It returns a function
	// that stops it. The default is [linux.GoAfterFunc].
	AfterFunc func(time.Duration, func()) (stop func())
	// Lazy, set before Run, makes the worker read nothing at all before it is asked for a block, not
	// even for the start-up test.
	Lazy bool

	name string
	src  Source
	out  chan<- *Block
	log  *slog.Logger
	rec  Recorder
	want chan struct{}

	// The rest belongs to Run's goroutine.
	gate      *gate
	history                      // of the present generator
	others    map[string]history // of those that come back, by name
	activated time.Time          // when it last became active
	owed      bool               // a block was asked for and has not come
	begun     time.Time          // of the start-up test that runs
	suspended time.Duration
	flush     int // bytes that the device may hold from before a suspend
	live      liveness
	retry     backoff // after read errors
	absent    backoff // while there is nothing to read from

	board board
}

// NewWorker returns a worker that sends passed blocks to out. Call Run once.
func NewWorker(src Source, out chan<- *Block, rec Recorder, log *slog.Logger) *Worker {
	w := &Worker{
		AfterFunc: linux.GoAfterFunc,
		name:      src.Info().Name,
		src:       src, out: out, rec: rec,
		log:     log.With("source", src.Info().Name),
		want:    make(chan struct{}, 1),
		retry:   backoff{first: 100 * time.Millisecond, cap: 30 * time.Second},
		absent:  backoff{first: 100 * time.Millisecond, cap: absentCap},
		history: newHistory(),
	}
	w.board.init(src.Info())
	rec.Info(src.Info())
	rec.State(Starting)
	return w
}

// Request asks for one fresh block. It arrives on the out channel as soon as the source has
// one; further requests until then change nothing.
func (w *Worker) Request() {
	select {
	case w.want <- struct{}{}:
	default:
	}
}

// Name returns the source's name.
func (w *Worker) Name() string { return w.name }

// InUse tells whether the source is in a state to earn credit.
func (w *Worker) InUse() bool { return w.board.state() == Active }

// Snapshot returns the worker's state for status reports.
func (w *Worker) Snapshot() Snapshot {
	s := w.board.snapshot()
	if r, ok := w.src.(Rotator); ok {
		s.Rotation = r.Rotation()
	}
	if d, ok := w.src.(Dropper); ok {
		s.BytesRead += d.Dropped()
	}
	return s
}

// Run reads and tests until ctx is done, then closes the source.
func (w *Worker) Run(ctx context.Context) {
	defer w.src.Close()
	defer w.dropTests()
	defer w.running.forget(w.rec)
	defer w.fire(Stopped, "stopped")
	w.suspended = linux.SuspendedTime()
	w.begun = time.Now()
	if w.Lazy {
		w.enter(Starting, AtRest)
	}
	for ctx.Err() == nil {
		if (w.Lazy || w.board.state() == Active) && !w.owed {
			w.live.pause()
			if w.owed = w.wanted(ctx); !w.owed {
				w.watch(ctx)
				continue
			}
			if w.board.atRest() { // the start-up test begins only now
				w.begun = time.Now()
				w.enter(Starting, "")
			}
		}
		block, err := w.next(ctx)
		if err != nil {
			w.handle(ctx, err)
			continue
		}
		before := w.board.state()
		if !w.passed(block) {
			continue
		}
		if before == Suspect && !w.owed && !w.asked() {
			block.discard(DiscardQuarantine)
			w.sleep(ctx, suspectPause)
			continue
		}
		w.owed = false
		w.asked() // this block answers it
		select {
		case w.out <- block:
		case <-ctx.Done():
			block.Discard()
		}
	}
}

// asked takes a request if there is one.
func (w *Worker) asked() bool {
	select {
	case <-w.want:
		return true
	default:
		return false
	}
}

// wanted waits for a request, at most until it is time to watch the source.
func (w *Worker) wanted(ctx context.Context) bool {
	look := make(chan struct{})
	if !w.board.atRest() { // there is nothing to watch before the first use
		stop := w.AfterFunc(watchInterval, func() { close(look) })
		defer stop()
	}
	select {
	case <-w.want:
		return true
	case <-ctx.Done():
	case <-look:
	}
	return false
}

// watch looks at the surroundings of an idle source.
func (w *Worker) watch(ctx context.Context) {
	err := w.src.Watch()
	if err == nil {
		w.retry.reset()
	}
	w.handle(ctx, err)
}

// next reads and tests until a block passes or something is wrong. What was read of an
// unfinished block is kept for the next call.
func (w *Worker) next(ctx context.Context) (*Block, error) {
	for {
		if away := linux.SuspendedTime() - w.suspended; away > suspendStep {
			return nil, &resumedError{away}
		}
		n, err := w.read(ctx)
		if err != nil {
			return nil, err
		}
		if w.gate.block.life != life.Load() { // what has just come may be older, too
			w.rec.Discarded(n, DiscardStartup)
			return nil, &clonedError{}
		}
		block, err := w.gate.accept(n)
		w.board.progress(w.gate.n)
		if block != nil || err != nil {
			return block, err
		}
	}
}

// read makes one read into the gate's block, with a limit on how long the source may be silent.
func (w *Worker) read(ctx context.Context) (int, error) {
	var buf []byte
	if w.gate != nil {
		buf = w.gate.room()
	} else {
		// Which generator will answer, and so which claim the tests need, is known only once it
		// has answered.
		buf = make([]byte, fips.BlockBytes)
		defer clear(buf)
	}
	limited, cancel := context.WithCancelCause(ctx)
	stop := w.AfterFunc(w.live.limit(), func() { cancel(errSilent) })
	defer cancel(nil)
	defer stop()
	begin := time.Now()
	n, err := w.src.Read(limited, buf)
	took := time.Since(begin)
	switch {
	case err == nil:
	case ctx.Err() == nil && errors.Is(context.Cause(limited), errSilent) && errors.Is(err, context.Canceled):
		return 0, &silentError{w.live.limit()}
	default:
		return 0, err
	}
	w.live.arrived(time.Now())
	w.rate.Add(n, took)
	w.rec.Read(n, took)
	w.board.read(n)
	if w.gate == nil {
		info := w.src.Info()
		if w.gate, err = newGate(info, w.rate.PerSecond(), &w.seen, &w.running, w.rec); err != nil {
			w.rec.Discarded(n, DiscardStartup)
			return 0, fmt.Errorf("source %s: %w", info.Name, err)
		}
		w.rec.Info(info)
		w.board.info(info)
		w.failures.expect(w.rate.PerSecond(), info.FailureRate)
		if w.board.state() == Disabled {
			w.fire(Readable, "")
		}
	}
	w.retry.reset()
	w.absent.reset()
	return copy(w.gate.room(), w.flushed(buf[:n])), nil
}

// flushed drops what is still to be dropped off the front of data.
func (w *Worker) flushed(data []byte) []byte {
	n := min(w.flush, len(data))
	if n > 0 {
		w.flush -= n
		w.rec.Discarded(n, DiscardStartup)
	}
	return data[n:]
}

// passed notes a passed block, and tells whether it may be used. The first one ends the start-up test;
// after a quarantine for failed blocks more of them are needed.
func (w *Worker) passed(b *Block) bool {
	b.Tested = linux.Boottime()
	switch w.board.state() {
	case Starting:
		if w.readmit != nil {
			if admitted, _ := w.readmit.add(false); !admitted {
				b.discard(DiscardQuarantine)
				w.enter(Starting, fmt.Sprintf("testing anew after too many failed blocks, %.0f %% done", 100*w.readmit.progress()))
				return false
			}
			w.readmit = nil
		}
		took := time.Since(w.begun)
		w.rec.StartupTest(took)
		info := w.src.Info()
		w.log.Info("start-up test passed", "driver", info.Driver, "claim", fmt.Sprintf("%.3g bits per byte (%s)", info.MinEntropy, info.ClaimOrigin),
			"took", took.Round(time.Millisecond))
		w.activated = time.Now()
		w.fire(TestPassed, "")
		if w.suspect && !w.failures.recovered() {
			w.fire(FailsMore, w.suspicion())
		}
		w.suspect = false
	case Suspect:
		w.failures.add(false)
		if w.failures.recovered() {
			w.log.Info("failed blocks are made good, source earns credit again")
			w.fire(Recovered, "")
		}
	default:
		w.failures.add(false)
	}
	if w.board.state() == Suspect {
		b.MinEntropy = 0 // mixed, but it earns no credit
	} else {
		w.rec.Success(time.Now())
	}
	w.tune()
	return true
}

// tune makes the tests stricter if the source turns out faster than they were set up for.
func (w *Worker) tune() {
	rate := w.rate.PerSecond()
	w.failures.expect(rate, w.src.Info().FailureRate)
	// The claim was good for a gate, so it is for stricter cutoffs.
	_ = w.gate.tune(rate)
}
