package pool

import (
	"maps"
	"time"
)

// Credits is what a feeder has achieved, and the kernel's state as it last saw it.
type Credits struct {
	CanCredit   bool              `json:"can_credit"` // false after the kernel refused with EPERM
	CRNGReady   bool              `json:"crng_ready"`
	Bits        map[string]uint64 `json:"credited_bits"`        // by source
	Bytes       map[string]uint64 `json:"added_bytes"`          // by source, credited or not
	FirstCredit time.Duration     `json:"first_credit_ns"`      // after the start; 0: none yet
	LastCredit  time.Time         `json:"last_credit,omitzero"` // zero: none yet
	LastError   string            `json:"last_error,omitempty"` // the kernel's last refusal
	PoolBits    int               `json:"kernel_pool_size_bits"`
	EntropyBits int               `json:"kernel_entropy_available_bits"`
}

func newCredits(canCredit bool) Credits {
	return Credits{CanCredit: canCredit, Bits: map[string]uint64{}, Bytes: map[string]uint64{}}
}

// TotalBits is the sum of the credits of all sources, in bits.
func (c *Credits) TotalBits() (total uint64) {
	for _, bits := range c.Bits {
		total += bits
	}
	return total
}

// Credits returns what was achieved so far. It never waits for the kernel or a source.
func (f *Feeder) Credits() Credits {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.now
	c.Bits, c.Bytes = maps.Clone(c.Bits), maps.Clone(c.Bytes)
	return c
}

// view is what Run's loop goes by.
type view struct{ ready, canCredit bool }

// look asks the kernel how it is.
func (f *Feeder) look() view {
	ready, err := f.kernel.Ready()
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	// The answer is asked for each second while the generator is not ready.
	if reason != f.readyErr {
		f.readyErr = reason
		if err != nil {
			f.log.Error("cannot tell whether the kernel's generator is ready", "reason", reason)
		}
	}
	available, size := f.kernel.Levels()
	f.mu.Lock()
	becameReady := ready && !f.now.CRNGReady
	f.now.CRNGReady, f.now.EntropyBits, f.now.PoolBits = ready, available, size
	v := view{ready: ready, canCredit: f.now.CanCredit}
	f.mu.Unlock()
	f.rec.CRNGReady(ready)
	f.rec.KernelPool(available, size)
	if becameReady {
		f.log.Info("the kernel's random generator is ready")
	}
	return v
}
