package pool

import (
	"slices"
	"time"
)

// fallbackDelay is how long no other source may be in use before a fallback is asked: drivers
// hiccup, and a fallback costs CPU time.
const fallbackDelay = 5 * time.Second

// SetFallback replaces the sources that are asked only until the kernel's generator is ready, or
// while none of the others is in use.
func (f *Feeder) SetFallback(s ...Supply) {
	f.mu.Lock()
	f.fallback = s
	f.mu.Unlock()
	f.wake()
}

// SourceChanged tells the feeder that a source is in another state, so that a fallback is asked in
// time. It never waits.
func (f *Feeder) SourceChanged() {
	select {
	case f.stirred <- struct{}{}:
	default:
	}
}

// askFallback asks the sources of last resort if it is their time, and returns when to look around
// again.
func (f *Feeder) askFallback(supplies []Supply) time.Duration {
	f.mu.Lock()
	fallback, ready := f.fallback, f.now.CRNGReady
	f.mu.Unlock()
	if slices.ContainsFunc(supplies, Supply.InUse) {
		f.without = time.Time{}
	} else if f.without.IsZero() {
		f.without = time.Now()
	}
	alone := time.Duration(0) // how long no other source has been in use
	if !f.without.IsZero() {
		alone = time.Since(f.without)
	}
	f.setFallingBack(len(fallback) > 0 && alone >= fallbackDelay)
	if f.fallingBack || !ready {
		for _, s := range fallback {
			s.Request()
		}
	}
	switch {
	case !ready:
		return readyPoll
	case len(fallback) > 0 && !f.without.IsZero() && !f.fallingBack:
		return fallbackDelay - alone
	}
	return waitReport
}

// setFallingBack notes whether fallbacks are asked for want of other sources.
func (f *Feeder) setFallingBack(on bool) {
	f.rec.Fallback(on)
	if on == f.fallingBack {
		return
	}
	f.fallingBack = on
	if on {
		f.log.Info("no other source is in use, asking the fallback")
	} else {
		f.log.Info("the fallback is not needed any more")
	}
}
