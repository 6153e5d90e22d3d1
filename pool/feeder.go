// Package pool credits the kernel: it asks the sources for tested blocks, conditions each into a
// 64-byte seed, and adds the seeds to the kernel's pool at the right time with an honest credit.
package pool

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// readyPoll is how often readiness is looked at while a seed for an unready kernel is awaited:
// somebody else may seed it.
const readyPoll = time.Second

// enoughBits of credit, one after the other without a pause, make every generator ready: no pool
// holds more. One that still is not ready counts in its own way, or does not tell, and gets the
// rest by the timer. With seeds of full credit these are 8 calls.
const enoughBits = 4096

// waitReport is how often a wait for a source is reported to the recorder while it lasts.
const waitReport = time.Minute

// ErrCannotCredit is why a feeder with Options.Once gives up without the privilege to credit.
var ErrCannotCredit = errors.New("crediting the kernel needs CAP_SYS_ADMIN in the initial user namespace")

// Supply is what the feeder needs of a source's worker.
type Supply interface {
	// Name is the source's, as its blocks have it.
	Name() string
	// Request asks for one block, which arrives on the channel that the feeder gave out.
	Request()
	// InUse tells whether the source is in a state to earn credit.
	InUse() bool
}

// Policy is the part of a feeder's configuration that may change while it runs.
type Policy struct {
	RefillInterval time.Duration
	Monitor        bool // test and report, never touch the pool
	MixUncredited  bool // without the privilege to credit, mix by plain writes
}

// Options configure a Feeder.
type Options struct {
	Policy
	Once     bool      // end as soon as the kernel's generator is ready
	Started  time.Time // of the process
	Recorder Recorder
	Log      *slog.Logger
	// AfterFunc is how the feeder waits for long; it returns a function that stops it. Nil stands
	// for [linux.GoAfterFunc].
	AfterFunc func(time.Duration, func()) (stop func())
}

// Feeder keeps one kernel fed.
type Feeder struct {
	kernel  Kernel
	once    bool
	started time.Time
	rec     Recorder
	log     *slog.Logger
	blocks  chan *source.Block
	changed chan struct{} // supplies or policy are new, or the machine is
	copied  atomic.Bool   // the next seed should be followed by a reseed
	stirred chan struct{} // a source is in another state

	afterFunc func(time.Duration, func()) (stop func())

	mu       sync.Mutex // guards supplies, fallback, policy and now
	supplies []Supply
	fallback []Supply
	policy   Policy
	now      Credits

	// The rest belongs to Run's goroutine.
	pace      pace
	reseed    bool      // the first credit should be followed by a reseed
	refusedAt time.Time // of the last EPERM
	told      bool      // that there is no privilege to credit
	readyErr  string    // why readiness is not known, "" if it is
	without   time.Time // since when no source but fallbacks has been in use

	fallingBack bool // fallbacks are asked for want of other sources
}

// NewFeeder returns a feeder of kernel. Call Run once.
func NewFeeder(kernel Kernel, opt Options) *Feeder {
	f := &Feeder{
		kernel: kernel, once: opt.Once, started: opt.Started, rec: opt.Recorder, log: opt.Log,
		blocks:  make(chan *source.Block),
		changed: make(chan struct{}, 1),
		stirred: make(chan struct{}, 1),
		policy:  opt.Policy,
		now:     newCredits(CanCredit(kernel)),
	}
	if f.afterFunc = opt.AfterFunc; f.afterFunc == nil {
		f.afterFunc = linux.GoAfterFunc
	}
	f.pace.sleep = f.sleep
	// A generator that somebody else made ready may rest on a weak seed, which ours supersedes.
	// One that we make ready takes its key from the pool at that moment anyway.
	f.now.CRNGReady, _ = kernel.Ready() // before look, which reports the change
	f.reseed = f.look().ready
	f.reportPolicy(opt.Policy)
	return f
}

// Blocks is where workers send their blocks.
func (f *Feeder) Blocks() chan<- *source.Block { return f.blocks }

// SetSupplies replaces the sources to ask, at once.
func (f *Feeder) SetSupplies(s ...Supply) {
	f.mu.Lock()
	f.supplies = s
	f.mu.Unlock()
	f.wake()
}

// SetPolicy replaces the policy, at once.
func (f *Feeder) SetPolicy(p Policy) {
	f.mu.Lock()
	f.policy = p
	f.mu.Unlock()
	f.reportPolicy(p)
	f.wake()
}

func (f *Feeder) reportPolicy(p Policy) {
	f.rec.RefillInterval(p.RefillInterval)
	f.rec.Monitor(p.Monitor)
}

// Cloned tells that this machine is a copy of another one or of its former self: the kernel gets a fresh
// seed at once, and uses it at once.
func (f *Feeder) Cloned() {
	f.copied.Store(true)
	f.wake()
}

// Policy returns the policy in force.
func (f *Feeder) Policy() Policy {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.policy
}

func (f *Feeder) wake() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// Run feeds until ctx is done, then returns its error. With Options.Once it returns nil as soon
// as the generator is ready, or ErrCannotCredit. It may hang in a call that the kernel does not
// answer, so nobody must wait for it without a limit.
func (f *Feeder) Run(ctx context.Context) error {
	if policy := f.Policy(); !f.Credits().CanCredit && !policy.Monitor && !f.once {
		f.tellDenied()
	}
	hurried := 0 // bits offered to a generator that was not ready
	for {
		state := f.look()
		switch {
		case f.once && state.ready:
			return nil
		case f.once && !state.canCredit:
			return ErrCannotCredit
		}
		block, err := f.take(ctx)
		if err != nil {
			return err
		}
		if block == nil {
			continue
		}
		blocks := []*source.Block{block}
		if state.ready && !f.pace.hurries() {
			blocks = f.gather(ctx, block)
		}
		if len(blocks) == 0 { // the machine slept meanwhile
			continue
		}
		round := newRound(blocks)
		offered := f.feed(blocks...)
		state = f.look()
		switch {
		case f.once && (state.ready || !state.canCredit):
			continue // done
		case !state.ready && offered > 0 && hurried+offered < enoughBits:
			hurried += offered
			continue // the kernel needs more at once
		}
		if err := f.rest(ctx, round); err != nil {
			return err
		}
	}
}

// take asks the sources for a block and waits for the first one. It returns nil without an error
// when it is worth looking around again.
func (f *Feeder) take(ctx context.Context) (*source.Block, error) {
	begin := time.Now()
	defer func() { f.rec.Waited(WaitNoSource, time.Since(begin)) }()
	select {
	case <-f.changed: // what changed so far is seen below, and must not cut the next rest short
	default:
	}
	f.mu.Lock()
	supplies := f.supplies
	f.mu.Unlock()
	for _, s := range supplies {
		s.Request()
	}
	for {
		again := make(chan struct{})
		stop := f.afterFunc(f.askFallback(supplies), func() { close(again) })
		select {
		case b := <-f.blocks:
			stop()
			if b.Stale() { // it waited while the feeder hung in a call
				b.Discard()
				return nil, nil
			}
			if b.MinEntropy == 0 && !f.Credits().CRNGReady { // of a suspect source: the wait is for one that counts
				f.feed(b)
				continue
			}
			return b, nil
		case <-f.stirred:
			// No new request: the block of a source that is through its start-up test may be on its
			// way, and one more would be read for nothing.
			stop()
			continue
		case <-again:
		case <-f.changed:
		case <-ctx.Done():
		}
		stop()
		return nil, ctx.Err()
	}
}

// sleep waits for d or ctx.
func (f *Feeder) sleep(ctx context.Context, d time.Duration) {
	over := make(chan struct{})
	stop := f.afterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// rest waits until the next seed is due. A block that arrives meanwhile is fed at once, one for each
// source beside those of the last seed: those that are quick to answer must not starve slower ones.
// Others are dropped (a source that passed its start-up test hands out its first block unasked): they
// would be stale by then. If the last seed earned nothing, a fallback is asked in its time.
func (f *Feeder) rest(ctx context.Context, round *round) error {
	f.mu.Lock()
	supplies := f.supplies
	f.pace.interval = f.policy.RefillInterval
	f.pace.legacy = f.now.PoolBits > ModernPoolBits && f.now.CanCredit && !f.policy.Monitor
	f.mu.Unlock()

	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	begin := time.Now()
	why := make(chan WaitReason, 1)
	go func() { why <- f.pace.wait(waiting, f.kernel) }()
	for {
		look := make(chan struct{})
		stop := func() {}
		switch {
		case !f.Credits().CRNGReady: // somebody else may make it ready, which ends Options.Once
			stop = f.afterFunc(readyPoll, func() { close(look) })
		case !round.earns:
			stop = f.afterFunc(f.askFallback(supplies), func() { close(look) })
		}
		select {
		case b := <-f.blocks:
			if round.fed[b.Source] || b.Stale() {
				b.Discard()
			} else {
				round.add(b)
				f.feed(b)
			}
		case <-look:
			if before := f.Credits().CRNGReady; !before && f.look().ready {
				cancel()
			}
		case <-f.changed:
			cancel()
		case reason := <-why:
			stop()
			f.rec.Waited(reason, time.Since(begin))
			return ctx.Err()
		}
		stop()
	}
}
