package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
)

// What jitter gives and when depends on the machine, so tests in this process have a simulated memory
// walk. The program that scripts call, this binary by another name, has the real one.
func init() {
	if filepath.Base(os.Args[0]) == "hwrngd" {
		return
	}
	noiseClock = func() jitter.Clock { return noisyClock() }
	jitterProbeTime = time.Minute // the race detector makes start-up tests slow
}

// noisyClock is a good machine, the same each time: a clock of 10 ns and plenty of noise.
func noisyClock() *jittertest.Clock {
	return &jittertest.Clock{Tick: 10, ReadTime: 23, Spread: 60, Step: jittertest.Noise(1, 300, 50)}
}

// useClock gives the noise loop another clock for one test.
func useClock(t *testing.T, clock func() jitter.Clock) {
	t.Helper()
	before := noiseClock
	noiseClock = clock
	t.Cleanup(func() { noiseClock = before })
}

// deadClock never advances, as that of a machine without one.
func deadClock() jitter.Clock { return &jittertest.Clock{} }
