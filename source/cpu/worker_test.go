package cpu

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// turning is an instruction that gives good numbers up to a call and from then on a constant, with the
// flag for success, as CPUs do whose firmware breaks the generator at a resume.
func turning(at int, constant byte) draw {
	good := newScript(true)
	return func(dst []byte) bool {
		if good.calls == at {
			for i := range dst {
				dst[i] = constant
			}
			return true
		}
		return good.draw(dst)
	}
}

// TestStuckCPU runs the worker on CPUs that are known to be bad. Not one block of theirs may get out.
func TestStuckCPU(t *testing.T) {
	const startBlock = 313 // numbers of 8 bytes for the start-up block of 2500 bytes
	for _, tt := range []struct {
		name     string
		draw     draw
		instance Instruction
		blocks   int
		states   []source.State
	}{
		{"good", newScript(true).draw, rdseed, 20, []source.State{source.Starting, source.Active}},
		{"ones from the start", turning(0, 0xff), rdseed, 0, []source.State{source.Starting, source.Quarantined}},
		{"zeros from the start", turning(0, 0), rdrand, 0, []source.State{source.Starting, source.Quarantined}},
		{"ones after the start-up test", turning(startBlock, 0xff), rdseed, 1, []source.State{source.Starting, source.Active, source.Quarantined}},
		{"ones within the start-up test", turning(startBlock/2, 0xff), rdrand, 0, []source.State{source.Starting, source.Quarantined}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				rec := &sourcetest.Recorder{}
				_, logger := sourcetest.NewLog()
				out := make(chan *source.Block)
				w := source.NewWorker(newSource(Options{}, []unit{{tt.instance, 8, tt.draw, ""}}), out, rec, logger)
				go w.Run(ctx)
				blocks := 0
				for range 20 {
					w.Request()
					select {
					case <-out:
						blocks++
					case <-time.After(10 * time.Millisecond): // less than the first pause of a quarantine
					}
				}
				synctest.Wait()
				if states := rec.Events().States; blocks != tt.blocks || !slices.Equal(states, tt.states) {
					t.Errorf("%d blocks, states %v, alarms %+v", blocks, states, rec.Events().Alarms)
				}
				if alarmed := len(rec.Events().Alarms) > 0; alarmed != slices.Contains(tt.states, source.Quarantined) {
					t.Errorf("alarms %+v", rec.Events().Alarms)
				}
			})
		})
	}
}
