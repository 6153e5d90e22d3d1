package source

import (
	"math/rand/v2"
	"time"
)

const (
	minSilence = 15 * time.Second // no source counts as silent sooner
	maxSilence = 5 * time.Minute
	// silenceFactor is how many times its longest gap so far a source may be silent.
	silenceFactor = 4
)

// liveness learns how long a source may be silent, from the longest gap between arrivals that it
// has shown. Slow and bursty is not dead.
type liveness struct {
	last time.Time
	gap  time.Duration
}

func (l *liveness) arrived(now time.Time) {
	if !l.last.IsZero() {
		l.gap = max(l.gap, min(now.Sub(l.last), maxSilence/silenceFactor))
	}
	l.last = now
}

// pause tells that nobody reads from now on, so that the time until the next read is no gap.
func (l *liveness) pause() { l.last = time.Time{} }

func (l *liveness) limit() time.Duration { return max(minSilence, silenceFactor*l.gap) }

// backoff yields pauses that double from first to cap, each varied by a fifth so that boards
// switched on together do not stay in step.
type backoff struct {
	first, cap time.Duration
	failures   int
}

func (b *backoff) next() time.Duration {
	d := b.cap
	if shift := b.failures; shift < 30 && b.first<<shift < b.cap {
		d = b.first << shift
	}
	b.failures++
	// math/rand is seeded by the runtime without waiting for the kernel's generator.
	return d - d/10 + rand.N(d/5+1)
}

func (b *backoff) reset() { b.failures = 0 }
