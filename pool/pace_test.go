package pool_test

import (
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
)

// drain takes bits off the estimate every so often, like a reader of a legacy /dev/random.
func (r *rig) drain(every time.Duration, bits int) {
	go func() {
		for {
			select {
			case <-time.After(every):
				r.kernel.Drain(bits)
			case <-r.ctx.Done():
				return
			}
		}
	}()
}

// minGap fails the test if two seeds came sooner after one another.
func (r *rig) minGap(want time.Duration) {
	r.t.Helper()
	at := r.seedTimes()
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < want {
			r.t.Errorf("seeds at %v and %v", at[i-1], at[i])
		}
	}
}

// TestLegacyFillsUp makes an empty legacy pool ready at once and then stops asking nobody.
func TestLegacyFillsUp(t *testing.T) {
	bubble(t, pooltest.Legacy, pool.Options{}, func(t *testing.T, r *rig) {
		r.run()
		synctest.Wait()
		r.seeds(1, 1)
		if !r.feeder.Credits().CRNGReady {
			t.Error("not ready after 512 bits")
		}
		r.pass(time.Second)
		r.seeds(4, 4) // 128 bits left after the key, then 500, 837, 1143: above the watermark
		r.pass(50 * time.Second)
		r.seeds(4, 4)
		if c := r.feeder.Credits(); c.PoolBits != 4096 || c.EntropyBits < 896 {
			t.Errorf("Credits %+v", c)
		}
	})
}

// TestLegacyIdle feeds a full pool now and then all the same: such kernels take a new key only if
// credit came in.
func TestLegacyIdle(t *testing.T) {
	bubble(t, readyLegacy, pool.Options{}, func(t *testing.T, r *rig) {
		r.run()
		r.pass(time.Hour)
		r.seeds(59, 61)
		at := r.seedTimes()
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap > 61*time.Second {
				t.Errorf("nothing for %v", gap)
			}
		}
	})
}

// TestLegacyReader feeds when a reader has taken the estimate below the watermark.
func TestLegacyReader(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		bits  int
		least int // seeds in four minutes
		most  int
	}{
		{10 * time.Second, 512, 24, 50},
		{time.Second, 256, 120, 280}, // such a reader gets what the pace allows
		{10 * time.Millisecond, 512, 12, 24},
	} {
		t.Run(fmt.Sprintf("%d bits every %v", tt.bits, tt.every), func(t *testing.T) {
			bubble(t, readyLegacy, pool.Options{}, func(t *testing.T, r *rig) {
				r.run()
				r.drain(tt.every, tt.bits)
				r.pass(4 * time.Minute)
				r.seeds(tt.least, tt.most)
				r.minGap(100 * time.Millisecond)
				r.bounded(time.Minute, 60*maxCallsPerSecond)
			})
		})
	}
}

// TestLegacyAlwaysAsks is a kernel whose wish tells nothing: after three seeds that changed
// nothing it gets the next one by the timer (FC-009).
func TestLegacyAlwaysAsks(t *testing.T) {
	bubble(t, readyLegacy, pool.Options{}, func(t *testing.T, r *rig) {
		r.kernel.AskAlways()
		r.run()
		r.pass(time.Hour)
		r.seeds(60, 4*67)
		r.minGap(100 * time.Millisecond)
		r.bounded(interval*9/10, 4+1) // the reseed at the start
	})
}

// TestLegacyPollFails goes by the timer.
func TestLegacyPollFails(t *testing.T) {
	bubble(t, readyLegacy, pool.Options{}, func(t *testing.T, r *rig) {
		r.kernel.FailAlways(pooltest.WaitWritable, syscall.EIO)
		r.run()
		r.pass(time.Hour)
		r.seeds(54, 70)
		r.minGap(interval * 9 / 10)
	})
}

// TestLegacyPolicyChange keeps listening to the kernel after a change of policy cut a wait short.
func TestLegacyPolicyChange(t *testing.T) {
	bubble(t, readyLegacy, pool.Options{}, func(t *testing.T, r *rig) {
		r.run()
		r.pass(10 * time.Second)
		r.feeder.SetPolicy(pool.Policy{RefillInterval: time.Hour})
		r.pass(10 * time.Second)
		n := len(r.kernel.Seeds())
		r.kernel.Drain(pooltest.LegacyPoolBits)
		r.pass(time.Second)
		r.seeds(n+1, n+4)
	})
}

// TestUnknownPoolSize goes by the timer: without procfs nothing tells whether a wish means
// anything.
func TestUnknownPoolSize(t *testing.T) {
	hidden := func() *pooltest.Kernel {
		k := pooltest.Legacy().Seed()
		k.HideLevels()
		return k
	}
	bubble(t, hidden, pool.Options{}, func(t *testing.T, r *rig) {
		r.run()
		synctest.Wait()
		r.steady(1, 30)
	})
}
