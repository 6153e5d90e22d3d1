package pooltest_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/pool/pooltest"
)

// TestCredit holds the fake against what was measured of real kernels.
func TestCredit(t *testing.T) {
	type step struct {
		credit    int
		estimate  int
		wantReady bool
	}
	for _, tt := range []struct {
		name   string
		kernel *pooltest.Kernel
		steps  []step
	}{
		{"modern adds up to 256 and stays", pooltest.Modern(), []step{
			{0, 0, false}, {100, 100, false}, {100, 200, false}, {55, 255, false}, {1, 256, true}, {512, 256, true},
		}},
		{"legacy counts three quarters at first", pooltest.Legacy(), []step{
			{64, 48, false},
			{64, 95, false},
			{64, 0, true}, // 142 are enough, and the key takes them
			{512, 384, true},
			{512, 732, true},
			{4096, 2781, true},
		}},
		{"legacy, 256 bits at boot make it ready", pooltest.Legacy(), []step{{256, 0, true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i, s := range tt.steps {
				if err := tt.kernel.AddEntropy([]byte("data"), s.credit); err != nil {
					t.Fatal(err)
				}
				ready, err := tt.kernel.Ready()
				estimate, _ := tt.kernel.Levels()
				if ready != s.wantReady || err != nil || estimate != s.estimate {
					t.Errorf("step %d: ready %v, %v, estimate %d, want %v, %d", i, ready, err, estimate, s.wantReady, s.estimate)
				}
			}
			before, _ := tt.kernel.Levels()
			if n, err := tt.kernel.Write([]byte("data")); n != 4 || err != nil {
				t.Errorf("Write = %d, %v", n, err)
			}
			if after, _ := tt.kernel.Levels(); after != before {
				t.Errorf("a plain write moved the estimate from %d to %d", before, after)
			}
		})
	}
}

func TestWaitWritable(t *testing.T) {
	full := func() *pooltest.Kernel {
		k := pooltest.Legacy().Seed()
		for range 8 {
			k.Seed()
		}
		return k
	}
	for _, tt := range []struct {
		name   string
		kernel func() *pooltest.Kernel
		during func(k *pooltest.Kernel, cancel func()) // after a second
		want   bool
		after  time.Duration
		err    error
	}{
		{"unseeded modern asks", pooltest.Modern, nil, true, 0, nil},
		{"seeded modern never asks", func() *pooltest.Kernel { return pooltest.Modern().Seed() }, nil, false, time.Minute, nil},
		{"unseeded legacy asks", pooltest.Legacy, nil, true, 0, nil},
		{"full legacy does not ask", full, nil, false, time.Minute, nil},
		{"drained legacy asks", full, func(k *pooltest.Kernel, _ func()) { k.Drain(4096) }, true, time.Second, nil},
		{"wish that tells nothing", full, func(k *pooltest.Kernel, _ func()) { k.AskAlways() }, true, time.Second, nil},
		{"cancelled", full, func(_ *pooltest.Kernel, cancel func()) { cancel() }, false, time.Second, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := tt.kernel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.during != nil {
					time.AfterFunc(time.Second, func() { tt.during(k, cancel) })
				}
				begin := time.Now()
				got, err := k.WaitWritable(ctx, time.Minute)
				if got != tt.want || !errors.Is(err, tt.err) || time.Since(begin) != tt.after {
					t.Errorf("WaitWritable = %v, %v after %v, want %v, %v after %v", got, err, time.Since(begin), tt.want, tt.err, tt.after)
				}
			})
		})
	}
}

func TestScript(t *testing.T) {
	k := pooltest.Modern()
	k.FailAlways(pooltest.AddEntropy, syscall.EPERM)
	k.Script(pooltest.AddEntropy, nil, syscall.EFAULT)
	for i, want := range []error{nil, syscall.EFAULT, syscall.EPERM, syscall.EPERM} {
		if err := k.AddEntropy([]byte("data"), 8); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i, err, want)
		}
	}
	if sum := k.CreditedBits(); sum != 8 || len(k.Seeds()) != 4 {
		t.Errorf("%d bits by %d calls", sum, len(k.Seeds()))
	}
}

func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := pooltest.Modern()
		release := k.Hang(pooltest.AddEntropy)
		done := false
		go func() {
			k.AddEntropy(nil, 0)
			done = true
		}()
		time.Sleep(time.Hour)
		if done || len(k.Calls()) != 0 {
			t.Error("the call did not hang")
		}
		release()
		synctest.Wait()
		if !done || len(k.Calls()) != 1 {
			t.Error("the call still hangs")
		}
	})
}
