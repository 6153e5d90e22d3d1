package jitter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

func TestInfo(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(1)})
	i := r.s.Info()
	if i.Name != "jitter" || i.Kind != source.KindJitter || !i.Conditioned || i.MinEntropy != 8 || i.ClaimOrigin != "1152 samples of 0.5 bits for 64 bytes" {
		t.Errorf("%+v", i)
	}
	if i := New(Options{Clock: noisy(1), Claim: 0.125}).Info(); i.ClaimOrigin != "4608 samples of 0.125 bits for 64 bytes" {
		t.Errorf("%+v", i)
	}
}

// TestReadSizes: any size is filled, and no byte comes twice.
func TestReadSizes(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(2)})
	var all []byte
	blocks := uint64(0)
	for _, n := range []int{64, 1, 63, 65, 128, 2500, 4096} {
		all = append(all, r.mustRead(n)...)
		blocks += uint64(n+BlockSize-1) / BlockSize
	}
	if st := r.s.Status(); st.Blocks != blocks || st.Samples != 1152*blocks {
		t.Errorf("%d blocks of %d samples, want %d", st.Blocks, st.Samples, blocks)
	}
	for i := 0; i+16 <= len(all); i++ {
		if bytes.Contains(all[i+1:], all[i:i+16]) {
			t.Fatalf("bytes from %d on come again", i)
		}
	}
	if n, err := r.s.Read(t.Context(), make([]byte, 5000)); n != maxRead || err != nil {
		t.Errorf("large read: %d, %v", n, err)
	}
	if n, err := r.s.Read(t.Context(), nil); n != 0 || !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("read of nothing: %d, %v", n, err)
	}
}

// TestSamplesAreCounted: every sample that becomes output, and every one of the start-up test, has been
// through the health tests.
func TestSamplesAreCounted(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(3)})
	r.mustRead(640)
	if got, want := r.rec.Events().Samples, startupSamples+10*1152; got != want {
		t.Errorf("%d samples, want %d", got, want)
	}
}

// TestStartupIsNotOutput: the samples that the start-up test saw are not in the first block.
func TestStartupIsNotOutput(t *testing.T) {
	clock := noisy(4)
	r := newRig(t, Options{Clock: clock})
	r.mustRead(64)
	if want := warmup + startupSamples + windowSamples + startupSamples + 1152; clock.Works != want {
		t.Errorf("%d samples, want %d", clock.Works, want)
	}
	r.mustRead(64)
	r.s.rest()
	before := clock.Works
	r.mustRead(64)
	if got, want := clock.Works-before, warmup+1152; got != want {
		t.Errorf("%d samples after a rest, want %d", got, want)
	}
}

func TestClocksourceChanges(t *testing.T) {
	sys := sysfsWith(t, "tsc")
	file := filepath.Join(string(sys), clocksourceDir, "current_clocksource")
	set := func(name string) {
		kit.WriteFile(t, file, name+"\n", 0o644)
	}
	wantChanged := func(err error, from, to string) {
		t.Helper()
		c, ok := errors.AsType[*source.ChangedError](err)
		if !ok || c.What != "clocksource" || c.From != from || c.To != to {
			t.Errorf("%v, want a change from %s to %s", err, from, to)
		}
	}
	r := newRig(t, Options{Clock: noisy(5), Sysfs: sys})
	set("early") // before the first read it matters to nobody
	r.mustRead(64)
	if err := r.s.Watch(); err != nil {
		t.Error(err)
	}
	set("hpet")
	_, err := r.read(64)
	wantChanged(err, "early", "hpet")
	r.mustRead(64)
	set("acpi_pm")
	wantChanged(r.s.Watch(), "hpet", "acpi_pm")
	if err := r.s.Watch(); err != nil {
		t.Errorf("said twice: %v", err)
	}
	r.mustRead(64)
	if st := r.s.Status(); st.Restarts != 2 || st.Rung != 0 {
		t.Errorf("%+v", st)
	}
	os.Remove(file)
	r.mustRead(64) // nothing said is no change
}

// TestBetterClock: early in boot the kernel's clock is coarse until a better one has been found.
func TestBetterClock(t *testing.T) {
	sys := sysfsWith(t, "jiffies")
	clock := noisy(6)
	clock.Tick = 4e6
	r := newRig(t, Options{Clock: clock, Sysfs: sys})
	for range 5 {
		if _, err := r.read(64); sourcetest.Unavailable(err) == nil {
			t.Fatal(err)
		}
	}
	clock.Tick = 10
	kit.WriteFile(t, filepath.Join(string(sys), clocksourceDir, "current_clocksource"), "tsc\n", 0o644)
	r.mustRead(64)
	if st := r.s.Status(); st.Refused != "" {
		t.Errorf("%+v", st)
	}
}

// TestStop: a Read returns when its context ends, the noise ends soon after, and the next Read works.
func TestStop(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(7)})
	if n, err := r.s.Read(cancelled(), make([]byte, 64)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	entered := make(chan struct{})
	e := r.engine()
	noise := e.estimate
	wait := make(chan struct{})
	e.estimate = func(samples []byte) (float64, string) {
		close(entered)
		<-wait
		e.estimate = noise
		return noise(samples)
	}
	go func() { <-entered; cancel() }()
	if n, err := r.s.Read(ctx, make([]byte, 64)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", n, err)
	}
	// An estimate is under way: others wait for it no longer than they want.
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if n, err := r.s.Read(ctx, make([]byte, 64)); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d, %v", n, err)
	}
	if err := r.s.Watch(); err != nil {
		t.Error(err)
	}
	close(wait)
	r.engine()
	if len(e.start.trials) != 1 {
		t.Errorf("%d trials were kept", len(e.start.trials))
	}
	r.mustRead(64)
}

func TestClose(t *testing.T) {
	r := newRig(t, Options{Clock: newSystemClock()})
	for range 2 {
		if err := r.s.Close(); err != nil {
			t.Error(err)
		}
	}
	if n, err := r.s.Read(t.Context(), make([]byte, 64)); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("%d, %v", n, err)
	}
}

// TestRest gives memory back some time after the last read, not before.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{Clock: noisy(8)})
		warm := func() bool {
			e := <-r.s.engine
			defer func() { r.s.engine <- e }()
			return e.warm
		}
		r.mustRead(64)
		time.Sleep(restAfter - time.Millisecond)
		synctest.Wait()
		if !warm() {
			t.Error("rests already")
		}
		r.mustRead(64)
		time.Sleep(restAfter - time.Millisecond)
		synctest.Wait()
		if !warm() {
			t.Error("rests, though it was read")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if warm() {
			t.Error("does not rest")
		}
		r.mustRead(64)
	})
}

// TestWorker lets a worker of the daemon use the source: noise becomes blocks, a ramp none.
func TestWorker(t *testing.T) {
	for _, c := range []struct {
		name   string
		clock  Clock
		blocks bool
	}{
		{"noise", noisy(9), true},
		{"ramp", &jittertest.Clock{ReadTime: 1000}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, Options{Clock: c.clock})
				out := make(chan *source.Block, 100)
				_, log := sourcetest.NewLog()
				w := source.NewWorker(r.s, out, r.rec, log)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); w.Run(ctx) }()
				for range 20 {
					w.Request()
					time.Sleep(10 * time.Second)
				}
				cancel()
				<-done
				if got := len(out) > 0; got != c.blocks {
					t.Errorf("%d blocks, %+v", len(out), w.Snapshot())
				}
				if e := r.rec.Events(); !c.blocks && e.BytesRead != 0 {
					t.Errorf("%d bytes", e.BytesRead)
				}
			})
		})
	}
}

// TestSingleProcessor: the source works where it shares the one processor of the runtime, and others
// get on meanwhile.
func TestSingleProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := newRig(t, Options{Clock: noisy(10)})
	var turns atomic.Int64
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				turns.Add(1)
				runtime.Gosched()
			}
		}
	}()
	r.mustRead(2500)
	close(stop)
	if turns.Load() == 0 {
		t.Error("nothing else got on")
	}
}
