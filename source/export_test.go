package source

import "time"

// What the tests of package source_test need of the inside. They are outside because the fakes in
// sourcetest import this package.

type Gate = gate

var NewGate = newGate

func (g *gate) Room() []byte                 { return g.room() }
func (g *gate) Accept(n int) (*Block, error) { return g.accept(n) }
func (g *gate) Drop(why DiscardReason)       { g.drop(why) }
func (g *gate) Held() int                    { return g.n }
func (g *gate) RCTCutoffs() (int, int)       { return g.rct.Cutoffs() }
func (g *gate) APTCutoffs() (int, int)       { return g.apt.Cutoffs() }

const (
	APTWindow     = aptWindow
	WatchInterval = watchInterval
)

type Cusum = cusum

func (c *cusum) Add(failed bool) bool { return c.add(failed) }

// PretendResume makes the worker believe that the machine was suspended for d. Clocks of the
// machine are beyond synctest. Call it only while the worker waits.
func (w *Worker) PretendResume(d time.Duration) { w.suspended -= d }
