package source_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// inTurn is a source whose changes are turns of generators that come back.
type inTurn struct{ *sourcetest.Source }

func (s inTurn) Watch() error { return marked(s.Source.Watch()) }

func (s inTurn) Read(ctx context.Context, dst []byte) (int, error) {
	n, err := s.Source.Read(ctx, dst)
	return n, marked(err)
}

func marked(err error) error {
	if changed, ok := err.(*source.ChangedError); ok {
		changed.InTurn = true
	}
	return err
}

// turns runs a worker of such a source.
func turns(t *testing.T, script []sourcetest.Step, test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		src := sourcetest.New(sourcetest.Info(), nil, script...)
		test(t, startRigOn(t, inTurn{src}, src))
	})
}

// away gives the other generator a turn.
func (r *rig) away() {
	r.t.Helper()
	r.src.Play(sourcetest.Change("generator", other()), sourcetest.Give(fips.BlockBytes))
	if b := r.block(source.WatchInterval); b.Driver != other().Driver {
		r.t.Errorf("a block of %s", b.Driver)
	}
	r.pass(time.Second)
}

// back is what follows when the first generator has its next turn.
func back(steps ...sourcetest.Step) []sourcetest.Step {
	return append([]sourcetest.Step{sourcetest.Change("generator", sourcetest.Info())}, steps...)
}

// What a generator gave at its last turn is no news at the next: a driver that seeds itself with the same
// number each time it is started would earn credit for ever.
func TestTurnsRememberData(t *testing.T) {
	for _, kept := range []bool{true, false} {
		first := sourcetest.Data(stream(0, fips.BlockBytes))
		run := turns
		if !kept {
			run = bubble
		}
		run(t, []sourcetest.Step{first}, func(t *testing.T, r *rig) {
			r.block(0)
			r.away()
			r.src.Play(back(first)...)
			if !kept { // another generator of the same name
				r.block(source.WatchInterval)
				return
			}
			r.pass(source.WatchInterval)
			if states := r.rec.Events().States; len(states) < 6 || states[5] != source.Quarantined {
				t.Errorf("states %v", states)
			}
			r.warnings(1, "repeat detector")
		})
	}
}

// Failed blocks of earlier turns count, and those of the other generator do not.
func TestTurnsRememberFailures(t *testing.T) {
	turns(t, []sourcetest.Step{sourcetest.Give(fips.BlockBytes)}, func(t *testing.T, r *rig) {
		r.block(0)
		count := r.consume(time.Second)
		states := []source.State{source.Starting, source.Active}
		for turn := range 2 {
			// Two failed blocks a turn are no reason, four are one to be suspicious.
			r.src.Play(bad(4)[2*turn : 2*turn+2]...)
			r.pass(10 * time.Second)
			if turn == 0 {
				r.states(states...)
			} else {
				states = append(states, source.Suspect)
				r.states(states...)
			}
			r.src.Play(sourcetest.Change("generator", other()))
			r.pass(source.WatchInterval + time.Second)
			states = append(states, source.Starting, source.Active)
			r.states(states...)
			r.src.Play(back()...)
			r.pass(source.WatchInterval + time.Second)
			states = append(states, source.Starting, source.Active)
		}
		// It comes back as suspect as it left.
		states = append(states, source.Suspect)
		r.states(states...)
		if s := r.w.Snapshot(); !strings.Contains(s.Reason, "4 of ") || count() == 0 {
			t.Errorf("%+v", s)
		}
	})
}
