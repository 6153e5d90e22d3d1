package jitter

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

const (
	// Name is the source's name.
	Name = "jitter"
	// niceLevel leaves the processor to everything that has work to do.
	niceLevel = 10
	// restAfter is how long after the last Read the loop's memory is given back.
	restAfter = 2 * time.Second
	// maxRead is the most bytes that one Read delivers.
	maxRead = 4096
)

// Options say what the source works with. The zero value is that of a machine of which nothing is
// known.
type Options struct {
	Sysfs  linux.Sysfs  // "" or a mounted sysfs, for cache sizes and clocksource
	Procfs linux.Procfs // "" or a mounted procfs, for the size of memory

	Claim  float64 // the most bits claimed of a sample; 0, and more than MaxClaim, mean MaxClaim
	Memory int     // the most bytes for the noise loop; 0 means DefaultMemory

	Clock    Clock           // nil: the system's
	Busy     func(bool)      // told when the noise loop begins and ends to run; may be nil
	Recorder source.Recorder // may be nil
	Log      *slog.Logger    // may be nil
}

// Source is the CPU jitter source. Make one with New.
type Source struct {
	opt     Options
	machine Machine
	engine  chan *engine // holds the engine while nobody uses it

	mu     sync.Mutex
	status Status
	closed bool
	timer  *time.Timer // that gives memory back
}

var _ source.Source = (*Source)(nil)

// New returns a source. It takes no memory and makes no noise before the first Read.
func New(opt Options) *Source {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Recorder == nil {
		opt.Recorder = silent{}
	}
	if opt.Busy == nil {
		opt.Busy = func(bool) {}
	}
	if opt.Clock == nil {
		opt.Clock = newSystemClock()
	}
	s := &Source{opt: opt, machine: inspect(opt.Sysfs, opt.Procfs, opt.Log), engine: make(chan *engine, 1)}
	e := &engine{
		opt: &s.opt, estimate: literal,
		machine: s.machine, clock: opt.Clock, walk: newWalk(opt.Clock), ladder: newLadder(opt.Claim),
	}
	s.publish(e)
	s.engine <- e
	return s
}

// Info implements [source.Source].
func (s *Source) Info() source.Info {
	st := s.Status()
	return source.Info{
		Name: Name, Kind: source.KindJitter, Noise: source.NoiseTiming, Conditioned: true, MinEntropy: 8,
		Note:        "timing jitter of memory accesses",
		ClaimOrigin: fmt.Sprintf("%d samples of %.3g bits for 64 bytes", st.SamplesPerBlock, st.Claim),
	}
}

// Read implements [source.Source]. It delivers conditioned bytes of full entropy, whole blocks of
// BlockSize and at the end a part of one: what is left of that is never used.
//
// The noise is made on a thread of its own, for the thread's nice level cannot be taken back, and so
// that Read returns at once when ctx is done.
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, io.ErrShortBuffer
	}
	var e *engine
	select {
	case e = <-s.engine:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if s.isClosed() {
		s.engine <- e
		return 0, fmt.Errorf("read from jitter source: %w", os.ErrClosed)
	}
	stop := make(chan struct{})
	done := make(chan burst)
	size := min(len(dst), maxRead)
	linux.OnOwnThread(niceLevel, func() { s.burst(e, size, done, stop) })
	select {
	case b := <-done:
		n := copy(dst, b.data)
		clear(b.data)
		return n, b.err
	case <-ctx.Done():
		close(stop)
		return 0, ctx.Err()
	}
}

// burst is what one run of the noise loop delivers.
type burst struct {
	data []byte
	err  error
}

// burst runs the engine, hands over what comes out unless stop is closed, and takes a new estimate
// if one is due.
func (s *Source) burst(e *engine, size int, done chan<- burst, stop <-chan struct{}) {
	s.opt.Busy(true)
	e.stop, e.slept = stop, time.Now()
	data := make([]byte, size)
	n, err := e.serve(data)
	s.publish(e)
	select {
	case done <- burst{data[:n], err}:
		e.reestimate()
	case <-stop:
		clear(data)
	}
	s.publish(e)
	s.opt.Busy(false) // before anybody else can have the engine
	s.giveBack(e)
}

// giveBack ends the use of an engine.
func (s *Source) giveBack(e *engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		e.rest()
	} else if s.timer == nil {
		s.timer = time.AfterFunc(restAfter, s.rest)
	} else {
		s.timer.Reset(restAfter)
	}
	s.engine <- e
}

// rest gives the loop's memory back, unless the engine is at work, and that of estimates, of which the
// runtime would keep some megabytes.
func (s *Source) rest() {
	select {
	case e := <-s.engine:
		e.rest()
		garbage := e.garbage
		e.garbage = false
		s.engine <- e
		if garbage {
			debug.FreeOSMemory()
		}
	default:
	}
}

// Watch implements [source.Source]. It reports a change of the clocksource, and a failure that is
// final.
func (s *Source) Watch() error {
	select {
	case e := <-s.engine:
		defer func() { s.publish(e); s.engine <- e }()
		if e.failures.latched != nil {
			return e.failures.latched
		}
		return e.checkClock()
	default: // at work, which looks at the clock itself
		return nil
	}
}

// Close implements [source.Source].
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.rest()
	return nil
}

func (s *Source) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// silent is a recorder for nobody. Only what the source calls is there.
type silent struct{ source.Recorder }

func (silent) HealthSamples(int)                                   {}
func (silent) HealthFailure(source.HealthTest, sp80090b.Verdict)   {}
func (silent) HealthCutoff(source.HealthTest, int, sp80090b.Alpha) {}
