// Package sourcetest has fakes for tests of what reads noise sources: a source that plays a
// script, a recorder, a log that can be counted, and a check of errors.
//
// Everything is safe for concurrent use and made for testing/synctest: waits go by the time
// package, and nothing is read from the machine.
package sourcetest

import (
	"context"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/source"
)

// Info describes a plausible source, for tests that do not care.
func Info() source.Info {
	return source.Info{
		Name: "hwrng", Kind: source.KindHWRNG, Device: "/dev/hwrng", Driver: "virtio_rng.0",
		MinEntropy: 4, ClaimOrigin: "default",
	}
}

// Step is one part of a script. Make it with Give, Data, Fail, Pause, Silence, Outage, Change or
// Forever.
type Step struct {
	give   int
	data   []byte
	err    error
	pause  time.Duration
	silent bool
	outage bool
	change *source.Info
	what   string
	loop   []Step
}

// Give delivers the next n bytes of the source's stream.
func Give(n int) Step { return Step{give: n} }

// Data delivers these bytes, which do not come off the stream.
func Data(p []byte) Step { return Step{data: slices.Clone(p)} }

// Fail makes one read fail with err.
func Fail(err error) Step { return Step{err: err} }

// Pause delivers nothing for d. The time runs from the first read that comes to it.
func Pause(d time.Duration) Step { return Step{pause: d} }

// Silence delivers nothing until the test plays another script.
func Silence() Step { return Step{silent: true} }

// Outage answers every read and every watch with err for d, from the first of them on.
func Outage(d time.Duration, err error) Step { return Step{outage: true, pause: d, err: err} }

// Change makes the source another one, which the next read or watch reports by a
// [*source.ChangedError] about what.
func Change(what string, to source.Info) Step { return Step{change: &to, what: what} }

// Forever repeats steps without end.
func Forever(steps ...Step) Step { return Step{loop: steps} }

// Op names a call on a source.
type Op string

// The calls.
const (
	Read  Op = "read"
	Watch Op = "watch"
	Close Op = "close"
)

// Call is one call on a source.
type Call struct {
	Op   Op
	At   time.Time // of the answer
	Room int       // bytes that a read asked for
	N    int       // bytes that it got
	Err  error
}

// Source is a fake source. It plays its script and then delivers its stream without end, as fast
// as it is read.
type Source struct {
	stream io.Reader

	mu     sync.Mutex
	info   source.Info
	chunk  int
	script []Step
	now    *Step         // what is played, nil between two steps
	until  time.Time     // end of the pause or outage that runs, zero before its first call
	played chan struct{} // closed and renewed when a new script begins
	calls  []Call
}

var _ source.Source = (*Source)(nil)

// New returns a source of that description. stream is where [Give] and the time after the script
// take their bytes from; nil stands for a good random stream that depends on the name alone.
func New(info source.Info, stream io.Reader, script ...Step) *Source {
	if stream == nil {
		stream = Good(info.Name)
	}
	return &Source{stream: stream, info: info, script: script, played: make(chan struct{})}
}

// Good returns an endless random stream that is the same for each label. About one in 1258 of its
// blocks fails the FIPS tests.
func Good(label string) io.Reader { return fipstest.NewShake(label) }

// Chunked makes no read return more than n bytes. It returns its receiver.
func (s *Source) Chunked(n int) *Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunk = n
	return s
}

// Play replaces what is left of the script, at once.
func (s *Source) Play(script ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.now = script, nil
	close(s.played)
	s.played = make(chan struct{})
}

// Calls returns the calls so far of the named kinds, of every kind if none is named.
func (s *Source) Calls(ops ...Op) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.calls), func(c Call) bool {
		return len(ops) > 0 && !slices.Contains(ops, c.Op)
	})
}

// Info implements [source.Source].
func (s *Source) Info() source.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Read implements [source.Source].
func (s *Source) Read(ctx context.Context, dst []byte) (n int, err error) {
	defer func() { s.record(Call{Op: Read, Room: len(dst), N: n, Err: err}) }()
	for ctx.Err() == nil {
		s.mu.Lock()
		n, err := s.play(dst)
		pause, played := time.Until(s.until), s.played
		silent := s.now != nil && s.now.silent
		s.mu.Unlock()
		switch {
		case n > 0 || err != nil:
			return n, err
		case silent:
			pause = math.MaxInt64
		}
		over := time.NewTimer(pause)
		select {
		case <-over.C:
		case <-played:
		case <-ctx.Done():
		}
		over.Stop()
	}
	return 0, ctx.Err()
}

// Watch implements [source.Source].
func (s *Source) Watch() (err error) {
	defer func() { s.record(Call{Op: Watch, Err: err}) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch step := s.step(); {
	case step.change != nil:
		return s.become(step)
	case step.outage && s.lasts(step):
		return step.err
	}
	return nil
}

// Close implements [source.Source].
func (s *Source) Close() error {
	s.record(Call{Op: Close})
	return nil
}

func (s *Source) record(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.At = time.Now()
	s.calls = append(s.calls, c)
}

// play does what the script says for one read. It returns nothing where that is to wait.
func (s *Source) play(dst []byte) (int, error) {
	if s.chunk > 0 {
		dst = dst[:min(len(dst), s.chunk)]
	}
	for {
		switch step := s.step(); {
		case step.change != nil:
			return 0, s.become(step)
		case step.silent:
			return 0, nil
		case step.pause > 0:
			if s.lasts(step) {
				return 0, step.err // of an outage
			}
		case step.err != nil:
			s.now = nil
			return 0, step.err
		case step.give > 0:
			n, err := s.stream.Read(dst[:min(len(dst), step.give)])
			step.give -= n
			return n, err
		case len(step.data) > 0:
			n := copy(dst, step.data)
			step.data = step.data[n:]
			return n, nil
		default: // all given
			s.now = nil
		}
	}
}

// step returns the step that is on. It is the caller's to use up: scripts can be played again.
func (s *Source) step() *Step {
	for s.now == nil {
		if len(s.script) == 0 {
			s.now = &Step{give: math.MaxInt}
			break
		}
		next := s.script[0]
		if next.loop != nil {
			s.script = slices.Concat(next.loop, s.script)
			continue
		}
		s.script = s.script[1:]
		s.now, s.until = &next, time.Time{}
	}
	return s.now
}

// lasts tells whether the time of step is not over yet, and ends the step if it is.
func (s *Source) lasts(step *Step) bool {
	if s.until.IsZero() {
		s.until = time.Now().Add(step.pause)
	}
	if time.Now().Before(s.until) {
		return true
	}
	s.now = nil
	return false
}

func (s *Source) become(step *Step) error {
	err := &source.ChangedError{What: step.what, From: s.info.Driver, To: step.change.Driver}
	s.info, s.now = *step.change, nil
	return err
}
