package pool_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

const interval = time.Minute // refill interval unless a test sets another

// rig is a feeder with one source between fakes, inside a synctest bubble. Everything ends with
// the test's context.
type rig struct {
	t      *testing.T
	ctx    context.Context
	stop   context.CancelFunc
	kernel *pooltest.Kernel
	rec    *pooltest.Recorder
	log    *sourcetest.Log
	logger *slog.Logger
	feeder *pool.Feeder
	begun  time.Time
	ended  chan error // the feeder's result
	copies int        // of the machine, each of which may cost a forced reseed
}

// bubble runs test in a synctest bubble on a rig that has not started yet.
func bubble(t *testing.T, kernel func() *pooltest.Kernel, opt pool.Options, test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, kernel: kernel(), rec: &pooltest.Recorder{}, begun: time.Now(), ended: make(chan error, 1)}
		r.ctx, r.stop = context.WithCancel(t.Context())
		r.log, r.logger = sourcetest.NewLog()
		if opt.RefillInterval == 0 {
			opt.RefillInterval = interval
		}
		opt.Started, opt.Recorder, opt.Log = r.begun, r.rec, r.logger
		r.feeder = pool.NewFeeder(r.kernel, opt)
		test(t, r)
		r.audit()
	})
}

// readyModern is a modern kernel that somebody else seeded.
func readyModern() *pooltest.Kernel { return pooltest.Modern().Seed() }

// readyLegacy is a legacy kernel that somebody else seeded and filled.
func readyLegacy() *pooltest.Kernel { return pooltest.Legacy().Seed().Seed().Seed().Seed() }

// run starts the feeder on good sources of these descriptions, one default source if there are
// none.
func (r *rig) run(infos ...source.Info) {
	if len(infos) == 0 {
		infos = append(infos, sourcetest.Info())
	}
	var supplies []pool.Supply
	for _, info := range infos {
		supplies = append(supplies, r.worker(sourcetest.New(info, nil), r.feeder.Blocks()))
	}
	r.feeder.SetSupplies(supplies...)
	r.feed()
}

// feed starts the feeder without any source.
func (r *rig) feed() { go func() { r.ended <- r.feeder.Run(r.ctx) }() }

// worker starts a worker of src.
func (r *rig) worker(src source.Source, out chan<- *source.Block) *source.Worker {
	w := source.NewWorker(src, out, &sourcetest.Recorder{}, r.logger)
	go w.Run(r.ctx)
	return w
}

// pass lets time go by.
func (r *rig) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// seedTimes tells when seeds reached the kernel, since the start.
func (r *rig) seedTimes() (at []time.Duration) {
	for _, c := range r.kernel.Seeds() {
		at = append(at, c.At.Sub(r.begun))
	}
	return at
}

// seeds fails the test unless so many seeds reached the kernel.
func (r *rig) seeds(least, most int) {
	r.t.Helper()
	if n := len(r.kernel.Seeds()); n < least || n > most {
		r.t.Errorf("%d seeds after %v, want %d to %d; at %v", n, time.Since(r.begun), least, most, r.seedTimes())
	}
}

// quiet fails the test if anything was logged from level on.
func (r *rig) quiet(level slog.Level) {
	r.t.Helper()
	for _, line := range r.log.Lines(level, "") {
		r.t.Errorf("logged: %s", line)
	}
}

// logged fails the test unless so many lines of any level contain text.
func (r *rig) logged(want int, text string) {
	r.t.Helper()
	if lines := r.log.Lines(slog.LevelInfo, text); len(lines) != want {
		r.t.Errorf("%d lines with %q, want %d: %q", len(lines), text, want, lines)
	}
}

// atMost fails the test unless one to limit lines contain text.
func (r *rig) atMost(limit int, text string) {
	r.t.Helper()
	if lines := r.log.Lines(slog.LevelInfo, text); len(lines) < 1 || len(lines) > limit {
		r.t.Errorf("%d lines with %q, want 1 to %d", len(lines), text, limit)
	}
}

// What is promised of the calls that change the kernel's pool: ten a second, and before that as
// many as 4096 bits of credit take, if the generator is not ready.
const (
	maxCallsPerSecond = 10
	maxHurried        = 8 // with full credit
)

// audit checks what must hold whatever happened.
func (r *rig) audit() {
	r.t.Helper()
	seen := map[string]bool{}
	for _, c := range r.kernel.Calls(pooltest.AddEntropy, pooltest.Write) {
		if len(c.Data) == 0 {
			continue // the probe
		}
		if len(c.Data) != pool.SeedBytes || c.Bits < 0 || c.Bits > 8*len(c.Data) {
			r.t.Errorf("%s of %d bytes with a credit of %d bits", c.Op, len(c.Data), c.Bits)
		}
		// A refused seed may be mixed at once without credit. Nothing else may come twice.
		if key := string(c.Op) + string(c.Data); seen[key] {
			r.t.Errorf("%s was offered the same seed twice", c.Op)
		} else {
			seen[key] = true
		}
	}

	credits, events := r.feeder.Credits(), r.rec.Events()
	var reported int
	for _, c := range events.Credits {
		reported += c.Bits
	}
	if sum := r.kernel.CreditedBits(); uint64(sum) != credits.TotalBits() || sum != reported {
		r.t.Errorf("kernel was credited %d bits, Credits say %d, the recorder was told %d", sum, credits.TotalBits(), reported)
	}
	if len(events.First) > 1 {
		r.t.Errorf("the first credit was reported %d times", len(events.First))
	}
	if n := len(r.kernel.Calls(pooltest.Reseed)); n > 1+r.copies {
		r.t.Errorf("%d forced reseeds", n)
	}
	limit := maxCallsPerSecond
	if !events.Ready[0] {
		limit += maxHurried
	}
	r.bounded(time.Second, limit)
}

// bounded fails the test if calls changed the kernel's pool more than limit times in any window.
func (r *rig) bounded(window time.Duration, limit int) {
	r.t.Helper()
	var at []time.Time
	for _, c := range r.kernel.Calls(pooltest.AddEntropy, pooltest.Write, pooltest.Reseed) {
		if c.Op == pooltest.Reseed || len(c.Data) > 0 {
			at = append(at, c.At)
		}
	}
	for i, first := range at {
		n := slices.IndexFunc(at[i:], func(later time.Time) bool { return later.Sub(first) >= window })
		if n < 0 {
			n = len(at) - i
		}
		if n > limit {
			r.t.Errorf("%d calls within %v from %v on, at most %d are promised", n, window, first.Sub(r.begun), limit)
			return
		}
	}
}
