package source

import (
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
)

// MaxAge is how long tested data may be kept. A snapshot, a clone or a suspend could replay what
// lies in memory, so nothing lies there for long.
const MaxAge = 5 * time.Second

// Block is 2500 fresh bytes that passed every test. Its owner clears it after use.
type Block struct {
	Source     string        // name of the source
	Driver     string        // the generator that made it
	Noise      Noise         // never ""
	MinEntropy float64       // claim in bits per byte; 0 of a suspect source, which earns no credit
	Tested     time.Duration // boot time when it passed, so that a suspend counts

	Data [fips.BlockBytes]byte

	rec  Recorder
	life uint64 // in which it was read
}

// Stale tells whether the block is older than MaxAge, or of an earlier life of this machine.
func (b *Block) Stale() bool {
	return linux.Boottime()-b.Tested > MaxAge || b.life != life.Load()
}

// Discard clears a block that nobody wanted in time.
func (b *Block) Discard() { b.discard(DiscardStale) }

func (b *Block) discard(why DiscardReason) {
	b.rec.Discarded(len(b.Data), why)
	b.Clear()
}

// Clear zeroes the data. Blocks are allocated once and never copied, so this is the only place
// where it lay; the Go runtime gives no stronger promise.
func (b *Block) Clear() { clear(b.Data[:]) }
