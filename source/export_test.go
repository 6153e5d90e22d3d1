package source

import (
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// What the tests of package source_test need of the inside. They are outside because the fakes in
// sourcetest import this package.

type Gate = gate

// NewGate returns a gate with an empty memory, for a source of unknown rate.
func NewGate(info Info, rec Recorder) (*Gate, error) {
	return newGate(info, 0, &repeats{}, &estimate{}, rec)
}

func (g *gate) Room() []byte                 { return g.room() }
func (g *gate) Accept(n int) (*Block, error) { return g.accept(n) }
func (g *gate) Drop(why DiscardReason)       { g.drop(why) }
func (g *gate) Held() int                    { return g.n }
func (g *gate) RCTCutoffs() (int, int)       { return g.rct.Cutoffs() }
func (g *gate) APTCutoffs() (int, int)       { return g.apt.Cutoffs() }

const (
	APTWindow     = aptWindow
	WatchInterval = watchInterval
	EstimateBytes = estimateBlocks * fips.BlockBytes
)

type (
	Cusum       = cusum
	Readmission = readmission
)

var (
	NewReadmission = newReadmission
	Alphas         = alphas
	Transitions    = transitions
	Sticky         = sticky
)

func (c *cusum) Expect(rate, documented float64)           { c.expect(rate, documented) }
func (c *cusum) Add(failed bool)                           { c.add(failed) }
func (c *cusum) FailsMore() bool                           { return c.failsMore() }
func (c *cusum) FailsOften() bool                          { return c.failsOften() }
func (c *cusum) Recovered() bool                           { return c.recovered() }
func (c *cusum) FailureRate() float64                      { return c.failureRate() }
func (c *cusum) Weights() (fail, pass, alarm int)          { return c.fail, c.pass, c.alarm }
func (r *readmission) Add(failed bool) (bool, bool)        { return r.add(failed) }
func (r *readmission) Bounds() (fail, pass, good, bad int) { return r.fail, r.pass, r.good, r.bad }

// PretendResume makes the worker believe that the machine was suspended for d. Clocks of the
// machine are beyond synctest. Call it only while the worker waits.
func (w *Worker) PretendResume(d time.Duration) { w.suspended -= d }
