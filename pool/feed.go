package pool

import (
	"errors"
	"strings"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// retryEPERM is the least time between two attempts to credit after the kernel refused one.
const retryEPERM = time.Minute

// feed conditions blocks of different sources into one seed and adds it to the kernel's pool. It
// returns the bits that it offered for credit, 0 if there is no privilege to credit. The blocks are
// cleared in every case.
func (f *Feeder) feed(blocks ...*source.Block) (offered int) {
	parts := make([]Part, len(blocks))
	for i, b := range blocks {
		defer b.Clear()
		parts[i] = Part{Raw: b.Data[:], MinEntropy: b.MinEntropy, Noise: b.Noise}
	}
	if f.Policy().Monitor {
		return 0
	}
	var seed [SeedBytes]byte
	defer clear(seed[:])
	credit := Condition(&seed, parts...)

	if !f.refusedAt.IsZero() && time.Since(f.refusedAt) < retryEPERM {
		f.mix(blocks, seed[:])
		return 0
	}
	switch err := f.kernel.AddEntropy(seed[:], credit); {
	case errors.Is(err, syscall.EPERM):
		f.denied(blocks, seed[:], err)
		return 0
	case err != nil:
		f.failed(err)
	default:
		f.accepted(blocks, credit, shares(credit, parts))
	}
	return credit
}

// accepted notes a seed that the kernel took, with the share of each block in its credit.
func (f *Feeder) accepted(blocks []*source.Block, credit int, shares []int) {
	now := time.Now()
	if !f.refusedAt.IsZero() {
		f.refusedAt, f.told = time.Time{}, false
		f.log.Info("crediting works again")
	}
	f.mu.Lock()
	f.now.CanCredit = true
	bytes := split(SeedBytes, len(blocks))
	for i, b := range blocks {
		f.now.Bits[b.Source] += uint64(shares[i])
		f.now.Bytes[b.Source] += uint64(bytes[i])
	}
	first := credit > 0 && f.now.LastCredit.IsZero()
	if credit > 0 {
		f.now.LastCredit = now
	}
	if first {
		f.now.FirstCredit = now.Sub(f.started)
	}
	f.mu.Unlock()

	var sources, drivers []string
	for i, b := range blocks {
		f.rec.Credited(b.Source, shares[i], bytes[i], now)
		sources = append(sources, b.Source)
		if b.Driver != "" {
			drivers = append(drivers, b.Driver)
		}
	}
	from := f.log.With("source", strings.Join(sources, "+"), "driver", strings.Join(drivers, "+"), "bits", credit)
	if credit > 0 && f.copied.Swap(false) {
		from.Info("seeded anew, as this machine is a copy")
		f.takeEffect()
	}
	if !first {
		from.Debug("credited")
		return
	}
	took := now.Sub(f.started)
	f.rec.FirstCredit(took, linux.Boottime())
	from.Info("first credit", "after", took.Round(time.Millisecond))
	if f.reseed {
		f.reseed = false
		f.takeEffect()
	}
}

// takeEffect makes the kernel use the first seed now instead of up to a minute later. Old kernels
// do not know the call, and the next regular reseed does the same, so a failure is no trouble.
func (f *Feeder) takeEffect() {
	if err := f.kernel.Reseed(); err != nil {
		f.rec.IoctlError(OpReseedCRNG, ioctlReason(err))
		f.log.Debug("reseed refused", "reason", err.Error())
	}
}

// failed notes a seed that the kernel did not take. The data may have been mixed or not; it is
// never offered again.
func (f *Feeder) failed(err error) {
	f.rec.IoctlError(OpAddEntropy, ioctlReason(err))
	f.mu.Lock()
	f.now.LastError = err.Error()
	f.mu.Unlock()
	f.log.Error("the kernel did not take a seed", "reason", err.Error())
}

// denied notes that there is no privilege to credit. The kernel looks at that before it looks at
// the data.
func (f *Feeder) denied(blocks []*source.Block, seed []byte, err error) {
	f.rec.IoctlError(OpAddEntropy, ioctlReason(err))
	f.refusedAt = time.Now()
	f.mu.Lock()
	f.now.CanCredit, f.now.LastError = false, err.Error()
	f.mu.Unlock()
	f.tellDenied()
	f.mix(blocks, seed)
}

// tellDenied says once that nothing can be credited, until that has changed.
func (f *Feeder) tellDenied() {
	if !f.told {
		f.told = true
		f.log.Error("cannot credit", "reason", ErrCannotCredit.Error())
	}
}

// mix adds a seed without credit, if the operator wants that.
func (f *Feeder) mix(blocks []*source.Block, seed []byte) {
	if !f.Policy().MixUncredited {
		return
	}
	n, err := f.kernel.Write(seed)
	if n > 0 {
		for i, bytes := range split(n, len(blocks)) {
			f.rec.Mixed(blocks[i].Source, bytes)
			f.mu.Lock()
			f.now.Bytes[blocks[i].Source] += uint64(bytes)
			f.mu.Unlock()
		}
	}
	if err != nil {
		f.log.Error("cannot mix without credit", "reason", err.Error())
	}
}

// split divides n among that many, as evenly as it goes.
func split(n, among int) []int {
	parts := make([]int, among)
	for i := range parts {
		parts[i] = n / (among - i)
		n -= parts[i]
	}
	return parts
}
