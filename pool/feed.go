package pool

import (
	"errors"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// retryEPERM is the least time between two attempts to credit after the kernel refused one.
const retryEPERM = time.Minute

// feed conditions a block and adds the seed to the kernel's pool. It returns the bits that it
// offered for credit, 0 if there is no privilege to credit. The block is cleared in every case.
func (f *Feeder) feed(b *source.Block) (offered int) {
	defer b.Clear()
	if f.Policy().Monitor {
		return 0
	}
	var seed [SeedBytes]byte
	defer clear(seed[:])
	credit := Condition(&seed, b.Data[:], b.MinEntropy)

	if !f.refusedAt.IsZero() && time.Since(f.refusedAt) < retryEPERM {
		f.mix(b.Source, seed[:])
		return 0
	}
	switch err := f.kernel.AddEntropy(seed[:], credit); {
	case errors.Is(err, syscall.EPERM):
		f.denied(b.Source, seed[:], err)
		return 0
	case err != nil:
		f.failed(err)
	default:
		f.accepted(b, credit)
	}
	return credit
}

// accepted notes a seed that the kernel took.
func (f *Feeder) accepted(b *source.Block, credit int) {
	now := time.Now()
	if !f.refusedAt.IsZero() {
		f.refusedAt, f.told = time.Time{}, false
		f.log.Info("crediting works again")
	}
	f.mu.Lock()
	f.now.CanCredit = true
	f.now.Bits[b.Source] += uint64(credit)
	f.now.Bytes[b.Source] += SeedBytes
	first := credit > 0 && f.now.LastCredit.IsZero()
	if credit > 0 {
		f.now.LastCredit = now
	}
	if first {
		f.now.FirstCredit = now.Sub(f.started)
	}
	f.mu.Unlock()

	f.rec.Credited(b.Source, credit, SeedBytes, now)
	if credit > 0 && f.copied.Swap(false) {
		f.log.Info("seeded anew, as this machine is a copy", "source", b.Source, "bits", credit)
		f.takeEffect()
	}
	if !first {
		f.log.Debug("credited", "source", b.Source, "driver", b.Driver, "bits", credit)
		return
	}
	took := now.Sub(f.started)
	f.rec.FirstCredit(took, linux.Boottime())
	f.log.Info("first credit", "source", b.Source, "driver", b.Driver, "bits", credit,
		"after", took.Round(time.Millisecond))
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
func (f *Feeder) denied(source string, seed []byte, err error) {
	f.rec.IoctlError(OpAddEntropy, ioctlReason(err))
	f.refusedAt = time.Now()
	f.mu.Lock()
	f.now.CanCredit, f.now.LastError = false, err.Error()
	f.mu.Unlock()
	f.tellDenied()
	f.mix(source, seed)
}

// tellDenied says once that nothing can be credited, until that has changed.
func (f *Feeder) tellDenied() {
	if !f.told {
		f.told = true
		f.log.Error("cannot credit", "reason", ErrCannotCredit.Error())
	}
}

// mix adds a seed without credit, if the operator wants that.
func (f *Feeder) mix(source string, seed []byte) {
	if !f.Policy().MixUncredited {
		return
	}
	n, err := f.kernel.Write(seed)
	if n > 0 {
		f.rec.Mixed(source, n)
		f.mu.Lock()
		f.now.Bytes[source] += uint64(n)
		f.mu.Unlock()
	}
	if err != nil {
		f.log.Error("cannot mix without credit", "reason", err.Error())
	}
}
