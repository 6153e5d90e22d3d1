package pool

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// ModernPoolBits is the poolsize that tells of the random generator of Linux 5.18, which also
	// went into stable series: versions tell nothing.
	ModernPoolBits = 256

	// legacyPause is the least time between two seeds that a legacy pool asked for. With one
	// 64-byte seed each time it caps the feed at 10 calls and 640 bytes a second.
	legacyPause = 100 * time.Millisecond

	// legacyCap is the longest wait for a legacy pool's wish. Such kernels reseed their generator
	// only from credited input, so some must come even if nobody reads.
	legacyCap = 60 * time.Second

	// spinLimit is how many seeds in a row may leave a legacy pool still asking. Then the wish is
	// heard once more, and the seed after that comes by the timer: the kernel may be one that
	// asks always.
	spinLimit = 3
)

// pace decides when a kernel whose generator is ready gets its next seed.
type pace struct {
	interval time.Duration // the refill interval
	legacy   bool          // by the kernel's wish, else by the timer alone
	asked    int           // seeds in a row after which the kernel asked again at once
	sleep    func(context.Context, time.Duration)
}

// wait waits until the next seed is due, or ctx is done, and says what it waited for.
func (p *pace) wait(ctx context.Context, k Kernel) WaitReason {
	if p.legacy && p.asked < spinLimit && p.listen(ctx, k) {
		return WaitKernelFull
	}
	p.asked = 0
	// A tenth of variation keeps boards that started together from reading in step.
	p.sleep(ctx, p.interval-p.interval/10+rand.N(p.interval/5+1))
	return WaitRateLimit
}

// hurries tells whether the last seed left the kernel asking for more.
func (p *pace) hurries() bool { return p.asked > 0 }

// listen waits for a legacy pool's wish, and tells whether wishes can be heard at all.
func (p *pace) listen(ctx context.Context, k Kernel) bool {
	sleep(ctx, legacyPause)
	begin := time.Now()
	wanted, err := k.WaitWritable(ctx, legacyCap)
	switch {
	case ctx.Err() != nil: // cut short, which says nothing of the kernel
	case err != nil:
		return false
	case wanted && time.Since(begin) < legacyPause:
		p.asked++
	default:
		p.asked = 0
	}
	return true
}

// sleep waits for d or ctx and returns ctx's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
