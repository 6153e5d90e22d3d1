package main

import (
	"context"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestDaemonFeeds runs a daemon on a FIFO and a fake kernel, up to its status.
func TestDaemonFeeds(t *testing.T) {
	r := newRig(t, pooltest.Modern(), "refill-interval=5m", "entropy=hwrng=2", "sources=hwrng")
	plant(t, r.dir, generators("virtio_rng.0", "virtio_rng.0"))
	goodFIFO(t, r.dir+"/hwrng")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.d.start(ctx)
	code := r.supervise(ctx)
	kit.Eventually(t, "ready", func() bool {
		ready, _ := r.d.status().Ready()
		return ready
	})
	s := r.d.status()
	if s.PID != os.Getpid() || s.Version != buildVersion().Version || s.Monitor || s.Refill != 5*time.Minute || !s.Started.Equal(r.d.started) {
		t.Errorf("status %+v", s)
	}
	if s.Credits.Bits["hwrng"] != 512 || r.kernel.CreditedBits() != 512 || !s.Credits.CanCredit {
		t.Errorf("credits %+v, the kernel says %d", s.Credits, r.kernel.CreditedBits())
	}
	if len(s.Sources) != 1 || s.Sources[0].Driver != "virtio_rng.0" || s.Sources[0].State != "active" || s.Sources[0].MinEntropy != 2 {
		t.Errorf("sources %+v", s.Sources)
	}
	if !r.d.healthy() {
		t.Error("not healthy")
	}
	cancel()
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d", got)
	}
	if s := r.d.status(); s.Sources[0].State != "disabled" {
		t.Errorf("after the stop the source is %s", s.Sources[0].State)
	}
}

// TestStatusNeverBlocks, whatever call on the kernel hangs and while a source is silent.
func TestStatusNeverBlocks(t *testing.T) {
	for _, op := range []pooltest.Op{pooltest.AddEntropy, pooltest.Reseed, pooltest.WaitWritable, pooltest.Ready} {
		t.Run(string(op), func(t *testing.T) {
			kernel := pooltest.Legacy()
			if op == pooltest.Reseed {
				kernel = pooltest.Modern().Seed()
			}
			r := newRig(t, kernel)
			plant(t, r.dir, generators("virtio_rng.0", "virtio_rng.0"))
			goodFIFO(t, r.dir+"/hwrng")
			release := kernel.Hang(op)
			defer release()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r.d.start(ctx)
			// The block is tested, so the feeder has it and is in the call, or comes to it.
			kit.Eventually(t, "a tested block", func() bool { return r.rec.Count("hwrng Success") > 0 || op == pooltest.Ready })
			answer := make(chan *pool.Status)
			go func() {
				for range 100 {
					r.d.status()
				}
				answer <- r.d.status()
			}()
			select {
			case s := <-answer:
				if s.PID != os.Getpid() {
					t.Errorf("got %+v", s)
				}
			case <-time.After(kit.Patience):
				t.Fatal("status hangs with the kernel")
			}
		})
	}
}

// TestStopSources: those that end in time are returned, those that hang are left behind.
func TestStopSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooltest.Modern())
		good := sourcetest.New(sourcetest.Info(), nil)
		w := r.work(t.Context(), good)
		if closed := stopWorkers(r.d.running()); closed["hwrng"] != good || len(good.Calls(sourcetest.Close)) != 1 {
			t.Errorf("closed: %v", closed)
		}
		<-w.done

		gate := make(chan struct{})
		w = r.work(t.Context(), stubborn{sourcetest.New(sourcetest.Info(), nil), gate})
		synctest.Wait() // it reads
		begin := time.Now()
		if closed := stopWorkers(r.d.running()); len(closed) != 0 || time.Since(begin) != stopGrace {
			t.Errorf("closed %v after %s", closed, time.Since(begin))
		}
		close(gate)
		<-w.done
	})
}

// TestFallbackSources: one that costs CPU time is at rest while another one may serve, also after a
// reload. Where it is alone it works at once.
func TestFallbackSources(t *testing.T) {
	r := newRig(t, pooltest.Modern().Seed(), "sources=auto")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.d.start(ctx)
	resting := func(want ...string) {
		t.Helper()
		var got []string
		for _, src := range r.d.status().Sources {
			if src.Reason == source.AtRest {
				got = append(got, src.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at rest: %q, want %q", got, want)
		}
	}
	kit.Eventually(t, "rest", func() bool { return r.d.status().Sources[1].Reason != "" })
	resting("jitter")
	next, err := r.config("sources=auto", "entropy=hwrng=1")
	if err != nil {
		t.Fatal(err)
	}
	r.d.loadConfig = func() (*Config, error) { return next, nil }
	r.d.reload(ctx)
	kit.Eventually(t, "rest", func() bool { return r.d.status().Sources[1].Reason != "" })
	resting("jitter")

	if next, err = r.config("sources=jitter"); err != nil {
		t.Fatal(err)
	}
	r.d.reload(ctx)
	resting()
	if all := r.d.running(); len(all) != 1 || all[0].Lazy {
		t.Errorf("%d workers", len(all))
	}
	stopWorkers(r.d.running())
}

// TestFailedSourceStays: no reload brings back a source that failed for good.
func TestFailedSourceStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooltest.Modern().Seed())
		w := r.work(t.Context(), sourcetest.New(sourcetest.Info(), nil, sourcetest.Fail(&source.FailedError{Reason: "broken for good"})))
		synctest.Wait()
		r.d.restartSources(t.Context())
		if all := r.d.status().Sources; r.d.running()[0] != w || len(all) != 1 || all[0].State != "failed" || all[0].Reason != "broken for good" {
			t.Errorf("got %+v", all)
		}
		// One that the configuration drops is closed like any other.
		r.d.cfg.Sources = []string{"jitter"}
		r.d.restartSources(t.Context())
		synctest.Wait()
		select {
		case <-w.done:
		default:
			t.Error("the failed source runs on although nobody wants it")
		}
		stopWorkers(r.d.running())
	})
}
