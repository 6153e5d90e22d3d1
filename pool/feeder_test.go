package pool_test

import (
	"context"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

func weak(claim float64) source.Info {
	info := sourcetest.Info()
	info.MinEntropy = claim
	return info
}

// TestUnseededModern credits at once until the generator is ready, not one seed more, and then one
// seed an interval.
func TestUnseededModern(t *testing.T) {
	for _, tt := range []struct {
		name  string
		claim float64
		seeds int
	}{
		{"one seed is enough", 4, 1},
		{"imx-rngc claims 19/1024", 8 * 19. / 1024, 1},
		{"two are needed", 0.1, 2},    // 250 - 64 = 186 bits each
		{"five are needed", 0.047, 5}, // 53 bits each
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, pooltest.Modern, pool.Options{}, func(t *testing.T, r *rig) {
				r.run(weak(tt.claim))
				synctest.Wait()
				r.seeds(tt.seeds, tt.seeds)
				if time.Since(r.begun) != 0 || !r.feeder.Credits().CRNGReady {
					t.Errorf("ready %v after %v, want at once", r.feeder.Credits().CRNGReady, time.Since(r.begun))
				}
				if events := r.rec.Events(); len(events.First) != 1 || events.First[0].SinceStart != 0 || events.First[0].SinceBoot <= 0 {
					t.Errorf("first credit reported as %v", events.First)
				}
				if n := len(r.kernel.Calls(pooltest.Reseed)); n != 0 {
					t.Errorf("%d forced reseeds of a generator that just took its key from the pool", n)
				}
				r.steady(tt.seeds, 30)
				r.logged(1, "first credit")
				r.logged(1, "generator is ready")
			})
		})
	}
}

// steady checks that count seeds come one an interval, within a tenth, after the first ones.
func (r *rig) steady(first, count int) {
	r.t.Helper()
	r.pass(time.Duration(count) * interval * 11 / 10)
	at := r.seedTimes()[first-1:]
	if len(at) <= count {
		r.t.Fatalf("%d seeds in %v, want more than %d", len(at), time.Since(r.begun), count)
	}
	for i := 1; i < len(at); i++ {
		if gap := at[i] - at[i-1]; gap < interval*9/10 || gap > interval*11/10 {
			r.t.Errorf("seed %d came after %v, want %v within a tenth", i, gap, interval)
		}
	}
	r.bounded(time.Minute, 2+first) // two, if the second one comes early
	if n := len(r.kernel.Calls(pooltest.WaitWritable)); n != 0 {
		r.t.Errorf("polled %d times a kernel that never asks", n)
	}
}

// TestSeedIsConditionedBlock compares what reaches the kernel with the hash of what the source
// gave.
func TestSeedIsConditionedBlock(t *testing.T) {
	bubble(t, pooltest.Modern, pool.Options{}, func(t *testing.T, r *rig) {
		r.run()
		synctest.Wait()
		raw := make([]byte, 2500)
		if _, err := io.ReadFull(sourcetest.Good(sourcetest.Info().Name), raw); err != nil {
			t.Fatal(err)
		}
		want := sha512.Sum512(raw)
		if seed := r.kernel.Seeds()[0]; string(seed.Data) != string(want[:]) || seed.Bits != 512 {
			t.Errorf("seed %x with %d bits, want %x with 512", seed.Data, seed.Bits, want)
		}
	})
}

// TestReadyAtStart supersedes a seed of unknown quality by one forced reseed, ever (FC-090).
func TestReadyAtStart(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer error
		reason pool.IoctlReason
	}{
		{"reseed works", nil, 0},
		{"reseed is unknown", syscall.EINVAL, pool.IoctlEINVAL},
		{"generator is unseeded after all", syscall.ENODATA, pool.IoctlOther},
		{"patched kernel", syscall.ENOTTY, pool.IoctlOther},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
				r.kernel.FailAlways(pooltest.Reseed, tt.answer)
				r.run()
				synctest.Wait()
				calls := r.kernel.Calls(pooltest.AddEntropy, pooltest.Reseed)[1:] // after the probe
				if len(calls) != 2 || calls[0].Op != pooltest.AddEntropy || calls[1].Op != pooltest.Reseed {
					t.Errorf("calls %v, want a seed and a reseed", calls)
				}
				r.steady(1, 60)
				if n := len(r.kernel.Calls(pooltest.Reseed)); n != 1 {
					t.Errorf("%d reseeds in an hour", n)
				}
				var want []pooltest.IoctlError
				if tt.answer != nil {
					want = []pooltest.IoctlError{{Op: pool.OpReseedCRNG, Reason: tt.reason}}
				}
				if got := r.rec.Events().Errors; !slices.Equal(got, want) {
					t.Errorf("ioctl errors %v, want %v", got, want)
				}
				r.quiet(slog.LevelWarn)
			})
		})
	}
}

// TestNeverReady is a kernel on which nothing helps: getrandom is filtered, or it counts credit in
// its own way (FC-009).
func TestNeverReady(t *testing.T) {
	for _, kernel := range []func() *pooltest.Kernel{pooltest.Modern, pooltest.Legacy} {
		bubble(t, kernel, pool.Options{}, func(t *testing.T, r *rig) {
			r.kernel.FailAlways(pooltest.Ready, syscall.ENOSYS)
			r.run()
			r.pass(10 * time.Second)
			r.seeds(1, 8)
			r.pass(time.Hour - 10*time.Second)
			r.seeds(60, 76)
			// One line a kind, not one a look: it looks once a second while it waits.
			r.logged(1, "cannot tell whether")
		})
	}
}

// TestUnreadableReadinessWithoutSource looks once a second, but does not say so each time.
func TestUnreadableReadinessWithoutSource(t *testing.T) {
	bubble(t, pooltest.Modern, pool.Options{}, func(t *testing.T, r *rig) {
		r.kernel.FailAlways(pooltest.Ready, syscall.ENOSYS)
		r.feed()
		r.pass(10 * time.Minute)
		r.logged(1, "cannot tell whether")
		r.kernel.FailAlways(pooltest.Ready, nil)
		r.pass(time.Minute)
		r.kernel.FailAlways(pooltest.Ready, syscall.ENOSYS)
		r.pass(time.Minute)
		r.logged(2, "cannot tell whether") // news again
	})
}

// TestSeededBySomebodyElse notices within a second, while it waits for a source.
func TestSeededBySomebodyElse(t *testing.T) {
	bubble(t, pooltest.Modern, pool.Options{}, func(t *testing.T, r *rig) {
		r.feed()
		r.pass(10 * time.Second)
		r.kernel.Seed()
		r.pass(time.Second)
		if !r.feeder.Credits().CRNGReady {
			t.Error("readiness not seen")
		}
		r.seeds(0, 0)
		r.logged(1, "generator is ready")
	})
}

// TestEPERM has the privilege missing and coming back: it is said once, nothing counts as credited,
// and the kernel is asked at most once a minute.
func TestEPERM(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy pool.Policy
	}{
		{"uncredited", pool.Policy{}},
		{"mixed", pool.Policy{MixUncredited: true}},
		{"mixed often", pool.Policy{MixUncredited: true, RefillInterval: 5 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refusing := func() *pooltest.Kernel {
				k := pooltest.Modern()
				k.FailAlways(pooltest.AddEntropy, syscall.EPERM)
				return k
			}
			bubble(t, refusing, pool.Options{Policy: tt.policy}, func(t *testing.T, r *rig) {
				r.run()
				r.pass(30 * time.Minute)

				seeds := r.kernel.Seeds()
				if len(seeds) < 10 {
					t.Errorf("%d attempts in 30 minutes: the privilege might be back", len(seeds))
				}
				for i := 1; i < len(seeds); i++ {
					if gap := seeds[i].At.Sub(seeds[i-1].At); gap < time.Minute {
						t.Errorf("asked again after %v", gap)
					}
				}
				events, credits := r.rec.Events(), r.feeder.Credits()
				if len(events.Credits) != 0 || credits.TotalBits() != 0 || credits.CanCredit || credits.FirstCredit != 0 {
					t.Errorf("counted as credited: %v, %+v", events.Credits, credits)
				}
				if credits.LastError == "" {
					t.Error("no last error")
				}
				r.logged(1, "cannot credit")
				if lines := r.log.Lines(slog.LevelError, ""); len(lines) != 1 {
					t.Errorf("errors logged: %q", lines)
				}

				writes := r.kernel.Calls(pooltest.Write)
				if tt.policy.MixUncredited {
					if len(writes) < len(seeds) {
						t.Errorf("%d writes for %d refused seeds", len(writes), len(seeds))
					}
				} else if len(writes) != 0 {
					t.Errorf("%d writes that nobody asked for", len(writes))
				}
				name := sourcetest.Info().Name
				if want := len(writes) * pool.SeedBytes; events.Mixed[name] != want || credits.Bytes[name] != uint64(want) {
					t.Errorf("%d bytes written, recorder was told %d, Credits say %d", want, events.Mixed[name], credits.Bytes[name])
				}

				r.kernel.FailAlways(pooltest.AddEntropy, nil)
				r.pass(3 * time.Minute)
				if c := r.feeder.Credits(); !c.CanCredit || c.TotalBits() == 0 || c.FirstCredit < 30*time.Minute {
					t.Errorf("after the privilege came back: %+v", c)
				}
				r.logged(1, "crediting works again")
			})
		})
	}
}

// TestMixFails reports a write that fails too, and counts nothing.
func TestMixFails(t *testing.T) {
	bubble(t, readyModern, pool.Options{Policy: pool.Policy{MixUncredited: true}}, func(t *testing.T, r *rig) {
		r.kernel.FailAlways(pooltest.AddEntropy, syscall.EPERM)
		r.kernel.FailAlways(pooltest.Write, syscall.EIO)
		r.run()
		r.pass(10 * time.Minute)
		if e := r.rec.Events(); len(e.Mixed) != 0 {
			t.Errorf("counted as mixed: %v", e.Mixed)
		}
		r.atMost(11, "cannot mix")
	})
}

// TestRefusedSeed drops a seed that the kernel did not take: after EFAULT it may have been mixed,
// and what was mixed once must never be credited. audit fails if a seed comes twice.
func TestRefusedSeed(t *testing.T) {
	for _, tt := range []struct {
		errno  syscall.Errno
		reason pool.IoctlReason
	}{
		{syscall.EFAULT, pool.IoctlEFAULT},
		{syscall.EINVAL, pool.IoctlEINVAL},
		{syscall.ENODEV, pool.IoctlENODEV},
		{syscall.ENOTTY, pool.IoctlOther},
	} {
		t.Run(tt.reason.String(), func(t *testing.T) {
			bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
				r.kernel.Script(pooltest.AddEntropy, tt.errno)
				r.run()
				r.pass(3 * interval)
				r.seeds(3, 4)
				want := []pooltest.IoctlError{{Op: pool.OpAddEntropy, Reason: tt.reason}}
				if got := r.rec.Events().Errors; !slices.Equal(got, want) {
					t.Errorf("ioctl errors %v, want %v", got, want)
				}
				if c := r.feeder.Credits(); !c.CanCredit || c.LastError == "" || c.TotalBits() == 0 {
					t.Errorf("Credits %+v", c)
				}
				if n := len(r.kernel.Calls(pooltest.Reseed)); n != 1 {
					t.Errorf("%d reseeds, want one after the first seed that was taken", n)
				}
				r.logged(1, "did not take a seed")
			})
		})
	}
}

// TestRefusedForEver has each seed refused on each kind of kernel: neither calls nor lines run away.
func TestRefusedForEver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kernel func() *pooltest.Kernel
	}{
		{"unseeded modern", pooltest.Modern},
		{"ready modern", readyModern},
		{"unseeded legacy", pooltest.Legacy},
		{"ready legacy", readyLegacy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.kernel, pool.Options{Policy: pool.Policy{RefillInterval: time.Second}}, func(t *testing.T, r *rig) {
				r.kernel.FailAlways(pooltest.AddEntropy, syscall.EFAULT)
				r.run()
				r.pass(3 * time.Minute)
				if c := r.feeder.Credits(); c.TotalBits() != 0 {
					t.Errorf("credited %d bits", c.TotalBits())
				}
				r.atMost(4, "did not take a seed")
			})
		})
	}
}

// TestUnseededRefusedOnce does not let one refusal at boot cost a whole interval: somebody waits
// in getrandom.
func TestUnseededRefusedOnce(t *testing.T) {
	bubble(t, pooltest.Modern, pool.Options{}, func(t *testing.T, r *rig) {
		r.kernel.Script(pooltest.AddEntropy, syscall.EFAULT)
		r.run()
		r.pass(5 * time.Second)
		if !r.feeder.Credits().CRNGReady {
			t.Errorf("not ready; seeds at %v", r.seedTimes())
		}
	})
}

// TestMonitor never touches the pool.
func TestMonitor(t *testing.T) {
	for _, kernel := range []func() *pooltest.Kernel{pooltest.Modern, readyModern, pooltest.Legacy, readyLegacy} {
		bubble(t, kernel, pool.Options{Policy: pool.Policy{Monitor: true, MixUncredited: true}}, func(t *testing.T, r *rig) {
			before := len(r.kernel.Calls())
			src := sourcetest.New(sourcetest.Info(), nil)
			rec := &sourcetest.Recorder{}
			w := source.NewWorker(src, r.feeder.Blocks(), rec, r.logger)
			go w.Run(r.ctx)
			r.feeder.SetSupplies(w)
			r.feed()
			r.pass(time.Hour)
			// The kernel's own state is looked at, by calls that the fake does not record.
			if calls := r.kernel.Calls()[before:]; len(calls) != 0 {
				t.Errorf("calls %v", calls)
			}
			if n := len(rec.Events().Successes); n < 54 || n > 70 {
				t.Errorf("%d blocks tested in an hour, want about one a minute", n)
			}
			if probe := r.kernel.Calls()[0]; before != 1 || len(probe.Data) != 0 || probe.Bits != 0 {
				t.Errorf("%d calls at start, the first one %v", before, probe)
			}
		})
	}
}

// TestOnce ends as soon as there is nothing left to do.
func TestOnce(t *testing.T) {
	denied := func() *pooltest.Kernel {
		k := pooltest.Modern()
		k.FailAlways(pooltest.AddEntropy, syscall.EPERM)
		return k
	}
	lateDenied := func() *pooltest.Kernel {
		k := pooltest.Modern()
		k.Script(pooltest.AddEntropy, nil, syscall.EPERM)
		return k
	}
	for _, tt := range []struct {
		name   string
		kernel func() *pooltest.Kernel
		claim  float64
		seeds  int
		want   error
	}{
		{"modern", pooltest.Modern, 4, 1, nil},
		{"modern, weak source", pooltest.Modern, 0.047, 5, nil},
		{"legacy", pooltest.Legacy, 4, 1, nil},
		{"already ready", readyModern, 4, 0, nil},
		{"not allowed", denied, 4, 0, pool.ErrCannotCredit},
		{"no more allowed", lateDenied, 4, 1, pool.ErrCannotCredit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.kernel, pool.Options{Once: true}, func(t *testing.T, r *rig) {
				r.run(weak(tt.claim))
				r.pass(time.Second)
				select {
				case err := <-r.ended:
					if !errors.Is(err, tt.want) {
						t.Errorf("Run = %v, want %v", err, tt.want)
					}
				default:
					t.Error("still running")
				}
				r.seeds(tt.seeds, tt.seeds)
			})
		})
	}
}

// TestOnceSomebodyElse ends soon after somebody else has made the kernel ready, also between two seeds.
func TestOnceSomebodyElse(t *testing.T) {
	bubble(t, pooltest.Modern, pool.Options{Once: true}, func(t *testing.T, r *rig) {
		r.run(weak(0.001)) // earns nothing, so that the feeder rests
		r.pass(10 * time.Second)
		r.kernel.Seed()
		r.pass(2 * time.Second)
		select {
		case err := <-r.ended:
			if err != nil {
				t.Errorf("Run = %v", err)
			}
		default:
			t.Error("still running")
		}
	})
}

// TestStop returns at once from every state.
func TestStop(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kernel func() *pooltest.Kernel
		start  func(*rig)
	}{
		{"no source", readyModern, (*rig).feed},
		{"no source, not ready", pooltest.Modern, (*rig).feed},
		{"between seeds", readyModern, func(r *rig) { r.run() }},
		{"polling", readyLegacy, func(r *rig) { r.run() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.kernel, pool.Options{}, func(t *testing.T, r *rig) {
				tt.start(r)
				r.pass(30 * time.Second)
				r.stop()
				synctest.Wait()
				select {
				case err := <-r.ended:
					if !errors.Is(err, context.Canceled) {
						t.Errorf("Run = %v", err)
					}
				default:
					t.Error("still running")
				}
				r.quiet(slog.LevelWarn) // a clean stop is no news (FC-068)
			})
		})
	}
}

// TestHungKernel answers status while a call hangs, and feeds again once it returns.
func TestHungKernel(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		release := r.kernel.Hang(pooltest.AddEntropy)
		defer release()
		r.run()
		r.pass(time.Hour)
		if c := r.feeder.Credits(); c.TotalBits() != 0 || !c.CanCredit {
			t.Errorf("Credits %+v", c)
		}
		r.feeder.SetPolicy(pool.Policy{RefillInterval: 2 * interval})
		r.feeder.SetSupplies()
		if p := r.feeder.Policy(); p.RefillInterval != 2*interval {
			t.Errorf("Policy %+v", p)
		}
		release()
		r.pass(time.Second)
		r.seeds(1, 1)
	})
}

// TestSetPolicy applies a policy while the feeder rests.
func TestSetPolicy(t *testing.T) {
	bubble(t, readyModern, pool.Options{Policy: pool.Policy{RefillInterval: time.Hour}}, func(t *testing.T, r *rig) {
		r.run()
		r.pass(10 * time.Minute)
		r.seeds(1, 1)
		r.feeder.SetPolicy(pool.Policy{RefillInterval: 10 * time.Second})
		r.pass(100 * time.Second)
		r.seeds(10, 14)
		r.feeder.SetPolicy(pool.Policy{RefillInterval: 10 * time.Second, Monitor: true})
		n := len(r.kernel.Seeds())
		r.pass(time.Hour)
		r.seeds(n, n)
		if !r.rec.Events().Monitor {
			t.Error("recorded that it credits")
		}
		if got := r.rec.Events().Intervals; !slices.Equal(got, []time.Duration{time.Hour, 10 * time.Second, 10 * time.Second}) {
			t.Errorf("intervals reported: %v", got)
		}
	})
}

// TestSetSupplies changes sources while the feeder waits and while it rests.
func TestSetSupplies(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		r.feed()
		r.pass(10 * time.Minute)
		r.seeds(0, 0)
		first, second := sourcetest.Info(), sourcetest.Info()
		first.Name, second.Name = "first", "second"

		r.feeder.SetSupplies(r.worker(sourcetest.New(first, nil), r.feeder.Blocks()))
		r.pass(time.Second)
		// The worker may hand over its first block before the feeder hears of it, and again then.
		r.seeds(1, 2)
		r.feeder.SetSupplies(r.worker(sourcetest.New(second, nil), r.feeder.Blocks()))
		r.pass(10 * time.Minute)
		c := r.feeder.Credits()
		if c.Bits["second"] == 0 || c.Bits["first"] > 2*512 {
			t.Errorf("credited %v", c.Bits)
		}
	})
}

// TestTwoSources: the fast one is fed as soon as it answers, and the slow one when it does.
func TestTwoSources(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		slow, fast := sourcetest.Info(), sourcetest.Info()
		slow.Name, slow.MinEntropy, fast.Name = "slow", 0.1, "fast"
		rec := &sourcetest.Recorder{}
		trickle := sourcetest.Forever(sourcetest.Pause(time.Second), sourcetest.Give(250))
		slowly := source.NewWorker(sourcetest.New(slow, nil, trickle), r.feeder.Blocks(), rec, r.logger)
		go slowly.Run(r.ctx)
		r.feeder.SetSupplies(slowly, r.worker(sourcetest.New(fast, nil), r.feeder.Blocks()))
		r.feed()
		r.pass(time.Hour)
		c := r.feeder.Credits()
		// Each earns by its own claim: 250 bits less the 64 of SP 800-90C, and full seeds.
		if n := c.Bits["fast"] / 512; n < 50 || c.Bits["fast"] != n*512 {
			t.Errorf("credited %v", c.Bits)
		}
		if n := c.Bits["slow"] / 186; n < 50 || c.Bits["slow"] != n*186 {
			t.Errorf("credited %v", c.Bits)
		}
		if e := rec.Events(); e.Discarded[source.DiscardStale] > 2500 {
			t.Errorf("blocks that nobody wanted: %v", e.Discarded)
		}
	})
}

// TestCloned: a copy of a machine gets a seed of its own at once, and the kernel uses it.
func TestCloned(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		r.run()
		r.pass(10 * time.Second)
		seeds, reseeds := len(r.kernel.Seeds()), len(r.kernel.Calls(pooltest.Reseed))
		r.feeder.Cloned()
		r.copies++
		r.pass(time.Second)
		r.seeds(seeds+1, seeds+1)
		if got := len(r.kernel.Calls(pooltest.Reseed)); got != reseeds+1 {
			t.Errorf("%d reseeds, want %d", got, reseeds+1)
		}
		r.logged(1, "this machine is a copy")
	})
}

// suspect is a source that is not in use and whose blocks claim nothing.
type suspect struct {
	ctx  context.Context
	out  chan<- *source.Block
	next int
}

func (s *suspect) Name() string { return "weak" }

func (s *suspect) InUse() bool { return false }

func (s *suspect) Request() {
	b := &source.Block{Source: "weak", Tested: linux.Boottime()}
	copy(b.Data[:], fipstest.G1Block(s.next)[:])
	s.next++
	go func() {
		select {
		case s.out <- b:
		case <-s.ctx.Done():
		}
	}()
}

// TestSuspectSource: what a suspect source gives is mixed once a round, earns nothing, and does not
// keep a fallback from being asked.
func TestSuspectSource(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		spare := sourcetest.Info()
		spare.Name = "spare"
		r.feeder.SetSupplies(&suspect{ctx: r.ctx, out: r.feeder.Blocks()})
		w := r.worker(sourcetest.New(spare, nil), r.feeder.Blocks())
		r.feeder.SetFallback(w)
		r.feed()
		r.pass(time.Hour)
		c := r.feeder.Credits()
		if c.Bits["weak"] != 0 || c.Bytes["weak"] < 50*64 || c.Bytes["weak"] > 70*64 {
			t.Errorf("%d bits credited and %d bytes mixed of a suspect source", c.Bits["weak"], c.Bytes["weak"])
		}
		if c.Bits["spare"] < 50*512 {
			t.Errorf("%d bits credited of the fallback", c.Bits["spare"])
		}
	})
}

// TestStaleBlock is a block that lay about while the feeder hung: it is refused, and the next one
// is fed without a rest.
func TestStaleBlock(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		blocks := make(chan *source.Block)
		rec := &sourcetest.Recorder{}
		w := source.NewWorker(sourcetest.New(sourcetest.Info(), nil), blocks, rec, r.logger)
		go w.Run(r.ctx)
		r.feeder.SetSupplies(w)
		r.feed()

		old := <-blocks
		old.Tested -= source.MaxAge + time.Second // boot time is the machine's, not the bubble's
		r.feeder.Blocks() <- old
		synctest.Wait()
		r.seeds(0, 0)
		if old.Data != [2500]byte{} {
			t.Error("a refused block is not cleared")
		}
		if e := rec.Events(); e.Discarded[source.DiscardStale] != 2500 {
			t.Errorf("discarded %v", e.Discarded)
		}

		r.feeder.Blocks() <- <-blocks
		synctest.Wait()
		r.seeds(1, 1)
		if time.Since(r.begun) != 0 {
			t.Errorf("it took %v", time.Since(r.begun))
		}
	})
}

// TestBlockIsCleared looks at the memory of blocks after the feeder had them.
func TestBlockIsCleared(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy pool.Policy
		errno  error
	}{
		{"fed", pool.Policy{}, nil},
		{"refused", pool.Policy{}, syscall.EFAULT},
		{"not allowed", pool.Policy{MixUncredited: true}, syscall.EPERM},
		{"monitored", pool.Policy{Monitor: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, readyModern, pool.Options{Policy: tt.policy}, func(t *testing.T, r *rig) {
				r.kernel.FailAlways(pooltest.AddEntropy, tt.errno)
				blocks := make(chan *source.Block)
				r.worker(sourcetest.New(sourcetest.Info(), nil), blocks)
				r.feed()
				b := <-blocks
				if b.Data == [2500]byte{} {
					t.Fatal("empty block")
				}
				r.feeder.Blocks() <- b
				synctest.Wait()
				if b.Data != [2500]byte{} {
					t.Error("data left in the block")
				}
			})
		})
	}
}

// TestWaitedAddsUp: what the feeder did with its time is what dashboards show.
func TestWaitedAddsUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kernel func() *pooltest.Kernel
		script []sourcetest.Step
		want   []pool.WaitReason // each of which takes a good part
	}{
		{"modern, fast source", readyModern, nil, []pool.WaitReason{pool.WaitRateLimit}},
		{
			"modern, slow source", readyModern,
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Pause(time.Second), sourcetest.Give(20))},
			[]pool.WaitReason{pool.WaitRateLimit, pool.WaitNoSource},
		},
		{"legacy, full", readyLegacy, nil, []pool.WaitReason{pool.WaitKernelFull}},
		{"not ready, no data", pooltest.Modern, []sourcetest.Step{sourcetest.Silence()}, []pool.WaitReason{pool.WaitNoSource}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.kernel, pool.Options{}, func(t *testing.T, r *rig) {
				w := r.worker(sourcetest.New(sourcetest.Info(), nil, tt.script...), r.feeder.Blocks())
				r.feeder.SetSupplies(w)
				r.feed()
				r.pass(time.Hour)
				waited := r.rec.Events().Waited
				var sum time.Duration
				for why, d := range waited {
					sum += d
					if big := slices.Contains(tt.want, why); big != (d > 5*time.Minute) {
						t.Errorf("%v for %v", why, d)
					}
				}
				// The wait that is on is not reported yet; none takes longer than this.
				if sum > time.Hour || sum < time.Hour-130*time.Second {
					t.Errorf("waited %v in an hour: %v", sum, waited)
				}
			})
		})
	}
}

// TestAnyScenario plays random kernels, errors, sources and policies. audit tells what must hold.
func TestAnyScenario(t *testing.T) {
	kernels := []func() *pooltest.Kernel{pooltest.Modern, readyModern, pooltest.Legacy, readyLegacy}
	answers := []error{nil, nil, nil, syscall.EPERM, syscall.EFAULT, syscall.EINVAL}
	for seed := range uint64(12) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			bubble(t, kernels[rnd.IntN(len(kernels))], pool.Options{}, func(t *testing.T, r *rig) {
				r.run(weak(0.1 + 4*rnd.Float64()))
				for range 30 {
					r.pass(time.Duration(rnd.IntN(90000)) * time.Millisecond)
					switch rnd.IntN(5) {
					case 0:
						r.kernel.FailAlways(pooltest.AddEntropy, answers[rnd.IntN(len(answers))])
					case 1:
						r.kernel.FailAlways(pooltest.Write, answers[rnd.IntN(len(answers))])
					case 2:
						r.kernel.FailAlways(pooltest.WaitWritable, answers[rnd.IntN(len(answers))])
					case 3:
						r.kernel.Drain(rnd.IntN(pooltest.LegacyPoolBits))
					case 4:
						r.feeder.SetPolicy(pool.Policy{
							RefillInterval: time.Duration(1+rnd.IntN(60)) * time.Second,
							Monitor:        rnd.IntN(4) == 0, MixUncredited: rnd.IntN(2) == 0,
						})
					}
				}
				before := r.feeder.Credits()
				r.kernel.FailAlways(pooltest.AddEntropy, nil)
				r.feeder.SetPolicy(pool.Policy{RefillInterval: interval})
				r.pass(4 * interval)
				if c := r.feeder.Credits(); c.TotalBits() <= before.TotalBits() || !c.CanCredit || !c.CRNGReady {
					t.Errorf("nothing is in the way, and yet %+v", c)
				}
			})
		})
	}
}
