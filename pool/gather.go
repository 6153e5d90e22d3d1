package pool

import (
	"context"
	"slices"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

// gatherLimit is how long a seed waits for further sources after the first has answered. It is less
// than [source.MaxAge], so that the first block is still fresh then.
const gatherLimit = 4 * time.Second

// gather returns first and a block of each other source that is in use and delivers in time, so that
// all of them contribute to the seed. What comes later makes a seed of its own. Blocks that are stale
// by the end are dropped.
func (f *Feeder) gather(ctx context.Context, first *source.Block) []*source.Block {
	f.mu.Lock()
	supplies := f.supplies
	f.mu.Unlock()
	blocks := []*source.Block{first}
	over := make(chan struct{})
	stop := f.afterFunc(gatherLimit, func() { close(over) })
	defer stop()
	for f.incomplete(supplies, blocks) {
		select {
		case b := <-f.blocks:
			if slices.ContainsFunc(blocks, func(have *source.Block) bool { return have.Source == b.Source }) {
				b.Discard()
			} else {
				blocks = append(blocks, b)
			}
			continue
		case <-f.stirred: // it may have been a source that is awaited
			continue
		case <-f.changed:
			f.wake() // that is for the next round to see
		case <-over:
		case <-ctx.Done():
		}
		break
	}
	return slices.DeleteFunc(blocks, func(b *source.Block) bool {
		stale := b.Stale()
		if stale {
			b.Discard()
		}
		return stale
	})
}

// incomplete tells whether a source that is in use has not contributed yet.
func (f *Feeder) incomplete(supplies []Supply, blocks []*source.Block) bool {
	return slices.ContainsFunc(supplies, func(s Supply) bool {
		return s.InUse() && !slices.ContainsFunc(blocks, func(b *source.Block) bool { return b.Source == s.Name() })
	})
}

// round is what was fed since a seed was due.
type round struct {
	fed   map[string]bool       // sources
	noise map[source.Noise]bool // that earned credit
	earns bool
}

// newRound returns a round that begins with a seed of these blocks.
func newRound(blocks []*source.Block) *round {
	r := &round{fed: map[string]bool{}, noise: map[source.Noise]bool{}}
	for _, b := range blocks {
		r.note(b)
	}
	return r
}

func (r *round) note(b *source.Block) {
	r.fed[b.Source] = true
	if b.MinEntropy > 0 {
		r.noise[b.Noise], r.earns = true, true
	}
}

// add notes a block that makes a seed of its own. It loses its claim if its noise has earned credit
// in this round by another path.
func (r *round) add(b *source.Block) {
	if r.noise[b.Noise] {
		b.MinEntropy = 0
	}
	r.note(b)
}
