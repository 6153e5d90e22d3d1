package jitter

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// realRig is a source on this machine's own clock.
func realRig(t *testing.T, opt Options) *rig {
	t.Helper()
	opt.Sysfs, opt.Procfs = "/sys", "/proc"
	return newRig(t, opt)
}

// TestRealClock must pass on any machine: the source delivers, or it says why not. What it finds is
// logged and gates nothing.
func TestRealClock(t *testing.T) {
	r := realRig(t, Options{})
	begin := time.Now()
	data, err := r.read(2500)
	t.Logf("%d bytes after %s, %v", len(data), time.Since(begin), err)
	switch {
	case err == nil:
		if len(data) == 0 || !differs(data) {
			t.Errorf("%d bytes", len(data))
		}
	case sourcetest.Unavailable(err) != nil, failed(err):
		if err.Error() == "" {
			t.Error("no reason")
		}
	default:
		if _, alarm := errors.AsType[*source.AlarmError](err); !alarm {
			t.Error(err)
		}
	}
	t.Logf("%+v", r.s.Status())
	t.Logf("%+v", r.s.Describe())
}

// TestRealMemory: memory is there while noise is made, and only then.
func TestRealMemory(t *testing.T) {
	w := newWalk(newSystemClock())
	for _, p := range []Profile{{1 << 20, 16}, {2 << 20, 16}, {256 << 10, 64}, {256 << 10, 16}} {
		if err := w.open(p); err != nil {
			t.Fatal(err)
		}
		deltas := make([]int64, 1000)
		w.run(deltas, w.clock.Now())
		for _, d := range deltas {
			if d < 0 {
				t.Fatalf("%s: a sample of %d ns", p, d)
			}
		}
		if len(w.memory) != p.Buffer {
			t.Errorf("%s: %d bytes", p, len(w.memory))
		}
	}
	changed := 0
	for i, b := range w.memory {
		if b != 0 && b != byte(i/4096) {
			changed++
		}
	}
	if changed < 1000 {
		t.Errorf("the walk changed %d bytes", changed)
	}
	w.close()
	w.close()
	if w.memory != nil {
		t.Error("memory is kept")
	}
}

// TestNoAllocation: neither the noise loop nor the way from it to a block allocates.
func TestNoAllocation(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-gcflags" && strings.Contains(s.Value, "-N") {
				t.Skip("compiled without optimisation")
			}
		}
	}
	e := realRig(t, Options{}).s.testEngine()
	p := Profile{1 << 20, 16}
	if err := e.run(newScale(10), Measurement{Estimate: 0.5}); err != nil {
		t.Fatal(err)
	}
	if err := e.open(p); err != nil {
		t.Fatal(err)
	}
	defer e.rest()
	deltas := make([]int64, 4*chunkSamples)
	if n := testing.AllocsPerRun(10, func() { e.walk.run(deltas, e.clock.Now()) }); n != 0 {
		t.Errorf("noise loop: %v allocations", n)
	}
	// Whatever the real times are like: their tests belong elsewhere.
	e.stream.wait = 1 << 30
	var block [BlockSize]byte
	if n := testing.AllocsPerRun(10, func() {
		for e.stream.cond.missing() > 0 {
			n := min(e.stream.cond.missing(), chunkSamples)
			for i := range n {
				e.deltas[i] = int64(i*i%997) * 10
			}
			if err := e.stream.add(e.deltas[:n]); err != nil {
				t.Fatal(err)
			}
		}
		e.stream.cond.block(&block)
	}); n != 0 {
		t.Errorf("block: %v allocations", n)
	}
}

// TestRealStop ends a Read in the midst of noise. The limit is far above what it takes, since nothing
// here is about speed.
func TestRealStop(t *testing.T) {
	r := realRig(t, Options{Claim: 1.0 / 8, Memory: 1 << 20})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for {
		begin := time.Now()
		n, err := r.s.Read(ctx, make([]byte, maxRead))
		took := time.Since(begin)
		if err == nil {
			continue // a fast machine
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Skipf("%d bytes, %v", n, err)
		}
		t.Logf("returned after %s", took)
		if took > time.Second {
			t.Errorf("took %s", took)
		}
		break
	}
	stopped := time.Now()
	r.engine()
	t.Logf("noise ended %s later", time.Since(stopped))
	if took := time.Since(stopped); took > time.Second {
		t.Errorf("noise went on for %s", took)
	}
}

// TestRealThread: noise is made at a raised nice level, and the thread that has it is gone afterwards.
func TestRealThread(t *testing.T) {
	r := realRig(t, Options{})
	e := r.engine()
	level := make(chan int, 10)
	e.estimate = func([]byte) (float64, string) {
		level <- linux.ThreadNice()
		return 3, "test"
	}
	if _, err := r.read(64); err != nil {
		t.Skip(err)
	}
	if got := <-level; got < niceLevel {
		t.Errorf("nice level %d", got)
	}
}
