package pool_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
)

// supply counts requests and never delivers.
type supply struct {
	asked atomic.Int64
	inUse atomic.Bool
}

func (s *supply) Name() string { return "supply" }
func (s *supply) Request()     { s.asked.Add(1) }
func (s *supply) InUse() bool  { return s.inUse.Load() }

// A fallback costs CPU time, so it is asked only where nothing else serves.
func TestFallback(t *testing.T) {
	for _, c := range []struct {
		name   string
		kernel func() *pooltest.Kernel
		inUse  bool
		after  time.Duration
		asked  bool
	}{
		{"unready kernel: at once, to unblock it", pooltest.Modern, true, time.Millisecond, true},
		{"ready kernel, other source in use: never", readyModern, true, 24 * time.Hour, false},
		{"ready kernel, other source not in use yet: not at once", readyModern, false, 4 * time.Second, false},
		{"ready kernel, other source not in use for a while", readyModern, false, 6 * time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.kernel, pool.Options{}, func(t *testing.T, r *rig) {
				main, fallback := &supply{}, &supply{}
				main.inUse.Store(c.inUse)
				r.feeder.SetSupplies(main)
				r.feeder.SetFallback(fallback)
				r.feed()
				r.pass(c.after)
				if asked := fallback.asked.Load() > 0; asked != c.asked {
					t.Errorf("after %v the fallback was asked %d times", c.after, fallback.asked.Load())
				}
				if main.asked.Load() == 0 {
					t.Error("the other source was not asked")
				}
			})
		})
	}
}

// A source that comes back relieves the fallback.
func TestFallbackEnds(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		main, fallback := &supply{}, &supply{}
		r.feeder.SetSupplies(main)
		r.feeder.SetFallback(fallback)
		r.feed()
		r.pass(time.Minute)
		asked := fallback.asked.Load()
		if asked == 0 {
			t.Fatal("the fallback was not asked")
		}
		if !r.rec.Events().Fallback {
			t.Error("the fallback is not reported")
		}
		main.inUse.Store(true)
		r.feeder.SourceChanged()
		r.pass(time.Hour)
		if now := fallback.asked.Load(); now > asked+1 {
			t.Errorf("asked %d times more with the other source in use", now-asked)
		}
		if r.rec.Events().Fallback {
			t.Error("the fallback is still reported")
		}
		asked = fallback.asked.Load()
		main.inUse.Store(false)
		r.feeder.SourceChanged()
		r.pass(6 * time.Second) // the delay and a little
		if now := fallback.asked.Load(); now <= asked {
			t.Error("not asked again after the other source went")
		}
		if lines := r.log.Lines(slog.LevelInfo, "fallback"); len(lines) != 3 {
			t.Errorf("logged %q, want a line a change", lines)
		}
	})
}
