// Package jittertest has clocks for tests of the jitter source: regular processes, which hold no
// entropy whatever their readings look like, and noisy ones, as finely or coarsely read as wanted.
package jittertest

import "math"

// Clock is a clock that plays the noise loop too: it implements jitter.Simulator. Its time only goes
// on when it is read or worked with, so everything is repeatable.
type Clock struct {
	// Tick is the step in which the clock is read, in nanoseconds; 0 means 1.
	Tick float64
	// ReadTime is what one reading takes, in nanoseconds.
	ReadTime float64
	// Spread is how much more a reading may take that follows another without work between; how much
	// follows from how many there were. A caller that times the clock itself does a little between.
	Spread float64
	// Step returns how long one sample's work takes, in nanoseconds.
	Step func(bytes, touches int) float64

	// Reads and Works count calls.
	Reads, Works int

	now    float64
	worked bool
}

// Now returns the time in whole nanoseconds of whole ticks, as a kernel derives it from a counter.
func (c *Clock) Now() int64 {
	c.Reads++
	c.now += c.ReadTime
	if !c.worked {
		c.now += c.Spread * float64(c.Reads*37%64) / 64
	}
	c.worked = false
	tick := c.Tick
	if tick == 0 {
		tick = 1
	}
	return int64(math.Floor(math.Floor(c.now/tick) * tick))
}

// Work lets the time of one sample pass.
func (c *Clock) Work(bytes, touches int) {
	c.Works++
	c.worked = true
	if c.Step != nil {
		c.now += c.Step(bytes, touches)
	}
}

// Recorded is a clock that gives recorded times, one a reading, over and over. Each round starts where
// the one before ended.
type Recorded struct {
	Times []int64

	i      int
	offset int64
}

// Now returns the next time.
func (r *Recorded) Now() int64 {
	if r.i == len(r.Times) {
		r.offset += r.Times[len(r.Times)-1] - r.Times[0]
		r.i = 1
	}
	t := r.Times[r.i] + r.offset
	r.i++
	return t
}

// Work does nothing: the times are recorded.
func (r *Recorded) Work(_, _ int) {}
