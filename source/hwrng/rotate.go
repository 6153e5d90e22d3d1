package hwrng

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

const (
	// DefaultTurn is how long each generator's turn lasts by default once it has given its start-up block.
	// Each turn costs one such test, 2628 bytes with what is dropped before: 3 s of a generator that gives
	// 1 kB/s, 0.4 % of its turn, and two minutes of one that gives 20 B/s, a fifth.
	DefaultTurn = 10 * time.Minute

	// startLimit is how long the turn of a generator may last that has not given its start-up block.
	// The slowest known one, at 20 B/s, takes two minutes.
	startLimit = 5 * time.Minute
)

// rotation is whose turn it is among several generators. It touches rng_current only while what stands
// there is what it put there: whoever else writes to it has the last word.
type rotation struct {
	turn time.Duration

	name   string    // whose turn it is, "" before the first one
	put    bool      // the name was put in place here, so that rng_selected is 1
	began  time.Time // the turn
	served time.Time // the start-up block, zero before that
	state  atomic.Pointer[source.Rotation]
}

// running tells whether it has begun and not ended.
func (r *rotation) running() bool {
	state := r.state.Load()
	return state != nil && state.Running
}

// stop ends it until a reload makes a new source.
func (r *rotation) stop(why string) {
	r.state.Store(&source.Rotation{Stopped: time.Now(), Reason: why})
}

// rotate gives each generator its turn, and returns the name of the current one.
func (s *selector) rotate(current string) (string, error) {
	r := &s.rotation
	if state := r.state.Load(); state != nil && !state.Running {
		return current, nil
	}
	available, err := s.sys.RNGAvailable()
	if err != nil {
		return "", &source.UnavailableError{Reason: "cannot list the generators: " + err.Error(), Err: err}
	}
	if r.state.Load() == nil {
		r.state.Store(&source.Rotation{Running: true})
	}
	if why := s.meddled(current, available); why != "" {
		r.stop("somebody else chooses the generator: " + why)
		s.wrote = "" // what stands there now is theirs
		s.log.Warn("rotation stopped until a reload: somebody else chooses the generator", "reason", why, "current", orNone(current))
		return current, nil
	}
	if current != r.name { // the first one, or what the kernel took for one that was unplugged
		r.begin(current, false)
	}
	if current != "" && r.over() && r.served.IsZero() {
		s.leaveOut(current, fmt.Sprintf("it has not given its start-up block within %s", startLimit))
	}
	avoid := slices.Concat(s.deny, s.avoided())
	if current != "" && !slices.Contains(avoid, current) {
		if !r.over() {
			return current, nil
		}
		delete(s.shunned, current) // all went well, so the next failure counts as its first
	}
	for _, next := range following(available, current) {
		if slices.Contains(avoid, next) {
			continue
		}
		if err := s.write(current, next); err == nil {
			s.log.Debug("next generator's turn", "from", orNone(current), "to", next)
			r.begin(next, true)
			return next, nil
		} else if forbidden(err) {
			r.stop("cannot select generators: " + err.Error())
			s.log.Warn("rotation stopped until a reload: cannot select generators", "reason", err.Error(), "hint", selectHint)
			s.restore()
			if now, err := s.sys.RNGCurrent(); err == nil {
				current = now
			}
			return current, nil
		} else {
			s.leaveOut(next, err.Error())
		}
	}
	if current == r.name && r.over() { // there is no other
		r.began = time.Now()
	}
	return current, nil
}

// meddled tells why what stands in rng_current is not what the rotation put there, "" if it is. The kernel
// itself takes another generator, and forgets that one was selected, only when the selected one is gone.
// One that is gone for less time than lies between two looks counts as meddling, too.
func (s *selector) meddled(current string, available []string) string {
	r := &s.rotation
	if !r.put || !slices.Contains(available, r.name) {
		return ""
	}
	if current != r.name {
		return fmt.Sprintf("rng_current is %s and not %s", orNone(current), r.name)
	}
	if selected, err := s.sys.RNGSelected(); err == nil && !selected { // absent on old kernels
		return fmt.Sprintf("rng_selected is 0, although %s was selected: somebody wrote an empty rng_current, or rng_quality", r.name)
	}
	return ""
}

// leaveOut passes a generator by for a while, longer each time.
func (s *selector) leaveOut(name, why string) {
	s.shun(name)
	s.log.Warn("generator is left out of the rotation for a while", "generator", name, "reason", why)
}

// begin starts a generator's turn.
func (r *rotation) begin(name string, put bool) {
	r.name, r.put, r.began, r.served = name, put, time.Now(), time.Time{}
}

// serve tells that the generator has given its start-up block.
func (r *rotation) serve() {
	if r.served.IsZero() {
		r.served = time.Now()
		r.began = r.served
	}
}

// over tells whether the turn has come to its end.
func (r *rotation) over() bool {
	if r.served.IsZero() {
		return time.Since(r.began) >= startLimit
	}
	return time.Since(r.began) >= r.turn
}

// following lists the other names, in their order, from the one after current on.
func following(names []string, current string) []string {
	at := slices.Index(names, current)
	if at < 0 {
		return names
	}
	return slices.Concat(names[at+1:], names[:at])
}

// forbidden tells whether an error is about writing to rng_current at all, and not about one generator.
func forbidden(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS)
}
