package jitter

import "time"

// Clock is a monotonic clock. The noise loop reads it once a sample.
type Clock interface {
	// Now returns the nanoseconds since some fixed moment. It never goes back.
	Now() int64
}

// Simulator is a clock that also plays the work of the noise loop, for tests: package jittertest
// has some. The loop then touches no memory.
type Simulator interface {
	Clock
	// Work stands for that many touches of a buffer of so many bytes.
	Work(bytes, touches int)
}

// systemClock counts from when it was made. The monotonic clock behind time.Since is read in the
// vDSO, without a system call, where the clocksource allows that, and is never set
// (clock_gettime(2), CLOCK_MONOTONIC).
type systemClock struct{ base time.Time }

func newSystemClock() *systemClock { return &systemClock{time.Now()} }

func (c *systemClock) Now() int64 { return int64(time.Since(c.base)) }
