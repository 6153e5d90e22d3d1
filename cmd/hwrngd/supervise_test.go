package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// missing is what a source without a device reports.
var missing = &source.UnavailableError{Reason: "stat /dev/hwrng: no such file or directory"}

// hooked calls ready, in the supervisor's loop, at each round of it.
type hooked struct {
	metrics.Recorder
	ready func()
}

func (h *hooked) Ready(ready bool) {
	h.ready()
	h.Recorder.Ready(ready)
}

// TestReadyWithoutSource: the service manager waits three seconds for a seed and no longer. What
// the source lacks is shown, also when it lacks something else later (FC-031).
func TestReadyWithoutSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newServiceManager(t)
		r := newRig(t, pooltest.Modern())
		ctx, cancel := context.WithCancel(t.Context())
		w := r.work(ctx, sourcetest.New(sourcetest.Info(), nil, sourcetest.Silence()))
		code := r.supervise(ctx)
		synctest.Wait()
		if got := m.messages(); !slices.Equal(got, []string{"STATUS=source hwrng is starting, 0 % of a test block read"}) {
			t.Errorf("at first: %q", got)
		}
		time.Sleep(readyGrace - 1)
		synctest.Wait()
		if got := m.messages(); got != nil {
			t.Errorf("before the grace is over: %q", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := m.messages(); !slices.Equal(got, []string{"READY=1"}) {
			t.Errorf("after the grace: %q", got)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := m.messages(); !slices.Equal(got, []string{"STATUS=source hwrng is starting: no data for 15s"}) {
			t.Errorf("after a while of silence: %q", got)
		}
		cancel()
		<-w.done
		if got := <-code; got != exitOK {
			t.Errorf("exit code %d", got)
		}
		if got := m.messages(); !slices.Equal(got, []string{"STOPPING=1\nSTATUS=stopped by a signal"}) {
			t.Errorf("at the end: %q", got)
		}
		if r.rec.Count("Ready false") == 0 || r.rec.Count("Ready true") != 0 {
			t.Error("the metric of readiness is wrong")
		}
	})
}

// TestReadyWhenSeeded: a kernel that is seeded, or gets so, is all that the service manager waits for.
func TestReadyWhenSeeded(t *testing.T) {
	t.Run("at the start", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newServiceManager(t)
			r := newRig(t, pooltest.Modern().Seed())
			ctx, cancel := context.WithCancel(t.Context())
			code := r.supervise(ctx)
			synctest.Wait()
			if got := m.messages(); !slices.Equal(got, []string{"STATUS=no source is configured\nREADY=1"}) {
				t.Errorf("got %q", got)
			}
			cancel()
			<-code
		})
	})
	t.Run("later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newServiceManager(t)
			r := newRig(t, pooltest.Modern())
			ctx, cancel := context.WithCancel(t.Context())
			go func() { r.d.feeding <- r.d.feeder.Run(ctx) }()
			code := r.supervise(ctx)
			time.Sleep(1500 * time.Millisecond)
			r.kernel.Seed()
			synctest.Wait()
			m.messages()
			time.Sleep(600 * time.Millisecond) // the feeder looks each second
			synctest.Wait()
			if got := m.messages(); !slices.Equal(got, []string{"READY=1"}) {
				t.Errorf("got %q", got)
			}
			cancel()
			<-code
		})
	})
}

// TestWatchdogPings: they come at half the time allowed, whatever the source does (FC-031).
func TestWatchdogPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newServiceManager(t)
		t.Setenv("WATCHDOG_USEC", "4000000")
		r := newRig(t, pooltest.Modern())
		ctx, cancel := context.WithCancel(t.Context())
		w := r.work(ctx, sourcetest.New(sourcetest.Info(), nil, sourcetest.Silence()))
		code := r.supervise(ctx)
		var at []time.Duration
		for begin := time.Now(); time.Since(begin) <= 30*time.Second; time.Sleep(time.Second) {
			synctest.Wait()
			if slices.Contains(m.messages(), "WATCHDOG=1") {
				at = append(at, time.Since(begin))
			}
		}
		for i, d := range at {
			if d != time.Duration(2*i)*time.Second {
				t.Errorf("ping %d after %s", i, d)
			}
		}
		if len(at) != 16 || r.rec.Count("WatchdogPing") != 16 || r.rec.Count("WatchdogTimeout 4s") != 1 {
			t.Errorf("%d pings sent, recorded: %q", len(at), r.rec.Calls())
		}
		cancel()
		<-w.done
		<-code
	})
}

// TestStuckLoop: a main loop that hangs ends the pings and is not healthy.
func TestStuckLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newServiceManager(t)
		t.Setenv("WATCHDOG_USEC", "1000000")
		r := newRig(t, pooltest.Modern())
		gate, stuck := make(chan struct{}), new(atomic.Bool)
		r.d.rec.Recorder = &hooked{r.rec, func() {
			if stuck.Load() {
				<-gate
			}
		}}
		ctx, cancel := context.WithCancel(t.Context())
		code := r.supervise(ctx)
		time.Sleep(2100 * time.Millisecond)
		synctest.Wait()
		if !r.d.healthy() || !slices.Contains(m.messages(), "WATCHDOG=1") {
			t.Error("not healthy at first")
		}
		stuck.Store(true)
		r.d.rec.wake()
		synctest.Wait()
		m.messages()
		begin := time.Now()
		if r.d.healthy() || time.Since(begin) != pulseLimit {
			t.Errorf("healthy, or told only after %s", time.Since(begin))
		}
		time.Sleep(5 * time.Second)
		if got := m.messages(); got != nil {
			t.Errorf("a dead loop sends %q", got)
		}
		stuck.Store(false)
		close(gate)
		cancel()
		<-code
		if r.d.healthy() {
			t.Error("healthy after the end")
		}
	})
}

// TestHealthyGivesUp also where the loop took the question and hangs before the answer.
func TestHealthyGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooltest.Modern())
		go func() { <-r.d.pulse }()
		if r.d.healthy() {
			t.Error("healthy without an answer")
		}
	})
}

func TestRequireSource(t *testing.T) {
	outage := func(d time.Duration) sourcetest.Step { return sourcetest.Outage(d, missing) }
	for _, tt := range []struct {
		name    string
		script  []sourcetest.Step
		later   []sourcetest.Step // played after seven seconds; an idle source is looked at each ten
		options string
		exit    time.Duration // 0: not within a minute
	}{
		{name: "missing", script: []sourcetest.Step{outage(time.Hour)}, exit: requireGrace},
		{name: "missing, not required", script: []sourcetest.Step{outage(time.Hour)}, options: "require-source=false"},
		{name: "comes in time", script: []sourcetest.Step{outage(2 * time.Second)}},
		{
			name: "slow but alive after a bad start", // a byte each 50 ms takes two minutes for a block
			script: []sourcetest.Step{
				outage(2 * time.Second), sourcetest.Forever(sourcetest.Give(1), sourcetest.Pause(50*time.Millisecond)),
			},
		},
		{name: "good"},
		{name: "lost for good", later: []sourcetest.Step{outage(time.Hour)}, exit: 15 * time.Second},
		{name: "lost for a moment", later: []sourcetest.Step{outage(2 * time.Second)}},
		{name: "dead data", script: []sourcetest.Step{sourcetest.Forever(sourcetest.Data(make([]byte, 5000)))}, exit: requireGrace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newServiceManager(t)
				if tt.options == "" {
					tt.options = "require-source=true"
				}
				r := newRig(t, pooltest.Modern().Seed(), tt.options)
				ctx, cancel := context.WithCancel(t.Context())
				src := sourcetest.New(sourcetest.Info(), nil, tt.script...)
				w := r.work(ctx, src)
				begin, code := time.Now(), r.supervise(ctx)
				if tt.later != nil {
					time.AfterFunc(7*time.Second, func() { src.Play(tt.later...) })
				}
				ended := false
				select {
				case got := <-code:
					ended = true
					if tt.exit == 0 || got != exitUnavailable || time.Since(begin) != tt.exit {
						t.Errorf("exit code %d after %s, want %s", got, time.Since(begin), tt.exit)
					}
					r.logged(1, slog.LevelError, "no source can be used and one is required")
					if all := m.messages(); all[len(all)-1] != "STOPPING=1\nSTATUS=no source" {
						t.Errorf("the service manager heard %q", all)
					}
				case <-time.After(time.Minute):
					if tt.exit != 0 {
						t.Error("still there")
					}
				}
				cancel()
				<-w.done
				if !ended {
					<-code
				}
			})
		})
	}
}

// TestRequireSourceByReload: the option counts from the reload that brings it.
func TestRequireSourceByReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooltest.Modern().Seed())
		r.d.loadConfig = func() (*Config, error) { return r.config("require-source=true") }
		ctx, cancel := context.WithCancel(t.Context())
		w := r.work(ctx, sourcetest.New(sourcetest.Info(), nil, sourcetest.Outage(time.Hour, missing)))
		begin, code := time.Now(), r.supervise(ctx)
		time.Sleep(21 * time.Second)
		r.hup <- syscall.SIGHUP
		if got := <-code; got != exitUnavailable || time.Since(begin) > 26*time.Second {
			t.Errorf("exit code %d after %s", got, time.Since(begin))
		}
		cancel()
		<-w.done
	})
}

func TestUsable(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		name string
		all  []source.Snapshot
		want bool
	}{
		{"none", nil, false},
		{"active", []source.Snapshot{{State: "active", Since: old}}, true},
		{"starting", []source.Snapshot{{State: "starting", Since: old}}, true},
		{"starting for a reason", []source.Snapshot{{State: "starting", Since: old, Reason: "no data for 15s"}}, false},
		{"starting again, just now", []source.Snapshot{{State: "starting", Since: time.Now(), Reason: "machine was suspended for 1h0m0s"}}, true},
		{"starting again, with data", []source.Snapshot{{State: "starting", Since: old, Reason: "testing anew", BlockFilled: .1}}, true},
		{"quarantined just now", []source.Snapshot{{State: "quarantined", Since: time.Now(), Reason: "rct"}}, false},
		{"disabled", []source.Snapshot{{State: "disabled", Since: time.Now(), Reason: "denied"}}, false},
		{"failed", []source.Snapshot{{State: "failed", Since: time.Now()}}, false},
		{"the second one", []source.Snapshot{{State: "failed"}, {State: "active"}}, true},
	} {
		if got := usable(&pool.Status{Sources: tt.all}); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// stubborn is a source whose Read ends only when the test says so.
type stubborn struct {
	source.Source
	gate chan struct{}
}

func (s stubborn) Read(context.Context, []byte) (int, error) {
	<-s.gate
	return 0, missing
}

// TestStop: a signal ends the daemon in less than a second while a source ignores that and a call
// on the kernel hangs.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newServiceManager(t)
		r := newRig(t, pooltest.Modern())
		ctx, cancel := context.WithCancel(t.Context())
		release := r.kernel.Hang(pooltest.Ready)
		fed := make(chan struct{})
		go func() {
			defer close(fed)
			_ = r.d.feeder.Run(ctx)
		}()
		gate := make(chan struct{})
		w := r.work(ctx, stubborn{sourcetest.New(sourcetest.Info(), nil), gate})
		code := r.supervise(ctx)
		time.Sleep(10 * time.Second)
		m.messages()
		r.d.quiet.Warn("a source comes and goes", "time", 1)
		r.d.quiet.Warn("a source comes and goes", "time", 2)

		begin := time.Now()
		cancel()
		if got := <-code; got != exitOK {
			t.Errorf("exit code %d", got)
		}
		if took := time.Since(begin); took >= time.Second {
			t.Errorf("took %s", took)
		}
		if got := m.messages(); len(got) != 1 || !strings.HasPrefix(got[0], "STOPPING=1\n") {
			t.Errorf("the service manager heard %q", got)
		}
		r.logged(1, slog.LevelInfo, `msg=stopped reason="stopped by a signal" credited_bits=0 after=10.5s`)
		r.logged(2, slog.LevelWarn, "a source comes and goes")
		close(gate)
		release()
		<-w.done
		<-fed
	})
}

// TestFeederEnds: what the feeder says when it ends decides on the exit code.
func TestFeederEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result error
		code   int
		why    string
	}{
		{"done", nil, exitOK, "the kernel's random generator is ready"},
		{"no privilege", pool.ErrCannotCredit, exitPermission, "cannot credit"},
		{"signal", context.Canceled, exitOK, "stopped by a signal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newServiceManager(t)
				r := newRig(t, pooltest.Modern())
				r.d.feeding <- tt.result
				if code := <-r.supervise(t.Context()); code != tt.code {
					t.Errorf("exit code %d, want %d", code, tt.code)
				}
				if all := m.messages(); all[len(all)-1] != "STOPPING=1\nSTATUS="+tt.why {
					t.Errorf("the service manager heard %q", all)
				}
				r.logged(1, slog.LevelInfo, `msg=stopped reason="`+tt.why+`"`)
			})
		})
	}
}

// TestOnce runs all of a daemon that ends by itself.
func TestOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kernel func() *pooltest.Kernel
		code   int
		bits   uint64
	}{
		{"seeded already", pooltest.Modern().Seed, exitOK, 0},
		{"seeds", pooltest.Modern, exitOK, 512},
		{"may not", func() *pooltest.Kernel {
			k := pooltest.Modern()
			k.FailAlways(pooltest.AddEntropy, syscall.EPERM)
			return k
		}, exitPermission, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.kernel(), "once=true")
			goodFIFO(t, r.dir+"/hwrng")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r.d.start(ctx)
			if code := r.d.supervise(ctx); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if credits := r.d.feeder.Credits(); credits.TotalBits() != tt.bits {
				t.Errorf("credited %d bits, want %d", credits.TotalBits(), tt.bits)
			}
		})
	}
}

// TestStateToldAgain: where the first lines of the log are lost, one of a minute later says it all, once.
func TestStateToldAgain(t *testing.T) {
	for _, repeat := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, pooltest.Modern())
			r.d.repeat = repeat
			r.d.cfg.Warnings = []string{"odd"}
			ctx, cancel := context.WithCancel(t.Context())
			w := r.work(ctx, sourcetest.New(sourcetest.Info(), nil, sourcetest.Silence()))
			code := r.supervise(ctx)
			time.Sleep(repeatAfter - 1)
			synctest.Wait()
			r.logged(0, slog.LevelDebug, "msg=running")
			time.Sleep(time.Hour)
			synctest.Wait()
			want := 0
			if repeat {
				want = 1
			}
			r.logged(want, slog.LevelWarn, `msg=running version=`+buildVersion().Version+` sources=hwrng crng_ready=false state="source hwrng is starting: no data for `)
			r.logged(want, slog.LevelWarn, "msg=configuration warning=odd")
			cancel()
			<-w.done
			<-code
		})
	}
}

// TestTidyNowAndThen: memory is given back after the start, and again.
func TestTidyNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pooltest.Modern())
		var times atomic.Int64
		r.d.tidy = func() { times.Add(1) }
		ctx, cancel := context.WithCancel(t.Context())
		code := r.supervise(ctx)
		for i, after := range []time.Duration{readyGrace, tidyEvery, tidyEvery} {
			time.Sleep(after - 1)
			synctest.Wait()
			if got := times.Load(); got != int64(i) {
				t.Errorf("%d times before it is due, want %d", got, i)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
		}
		if got := times.Load(); got != 3 {
			t.Errorf("%d times, want 3", got)
		}
		cancel()
		<-code
	})
}
