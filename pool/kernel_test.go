package pool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestOpenKernelRefuses covers sinks that take no entropy: a daemon on one of them would run and
// seed nothing (FC-056).
func TestOpenKernelRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	kit.WriteFile(t, file, "", 0o600)
	for _, tt := range []struct{ path, want string }{
		{file, "cannot feed " + file + " (regular file): RNDADDENTROPY " + file + ": inappropriate ioctl for device"},
		{"/dev/null", "cannot feed /dev/null (character device 1:3): RNDADDENTROPY /dev/null: inappropriate ioctl for device"},
	} {
		_, err := pool.OpenKernel(tt.path, "/proc")
		var notRandom *pool.NotRandomError
		if !errors.As(err, &notRandom) || !errors.Is(err, syscall.ENOTTY) || err.Error() != tt.want {
			t.Errorf("OpenKernel(%s) = %v, want %s", tt.path, err, tt.want)
		}
	}
	if _, err := pool.OpenKernel(filepath.Join(t.TempDir(), "absent"), "/proc"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenKernel of nothing = %v", err)
	}
}

// TestOpenKernel opens the machine's own generator and changes nothing about it.
func TestOpenKernel(t *testing.T) {
	k, err := pool.OpenKernel("/dev/urandom", "/proc")
	if err != nil {
		t.Skip(err) // a sandbox without the device
	}
	if ready, err := k.Ready(); err != nil || !ready {
		t.Errorf("Ready = %v, %v on a machine that has been up for long", ready, err)
	}
	if _, size := k.Levels(); size != 256 && size != 4096 {
		t.Errorf("poolsize %d", size)
	}
	// A device on which poll always reports room must not be listened to.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if wanted, err := k.WaitWritable(ctx, time.Hour); wanted || !errors.Is(err, context.Canceled) {
		t.Errorf("WaitWritable = %v, %v", wanted, err)
	}
}

func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		name            string
		avail, size     string
		wantAvail, want int
	}{
		{"modern", "256\n", "256\n", 256, 256},
		{"legacy", "3712\n", "4096\n", 3712, 4096},
		{"no procfs", "", "", 0, 0},
		{"garbage", "many\n", "4096\n", 0, 4096},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proc := t.TempDir()
			dir := filepath.Join(proc, "sys/kernel/random")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"entropy_avail": tt.avail, "poolsize": tt.size} {
				if text == "" {
					continue
				}
				kit.WriteFile(t, filepath.Join(dir, name), text, 0o600)
			}
			k, err := pool.OpenKernel("/dev/urandom", linux.Procfs(proc))
			if err != nil {
				t.Skip(err)
			}
			if avail, size := k.Levels(); avail != tt.wantAvail || size != tt.want {
				t.Errorf("Levels = %d, %d, want %d, %d", avail, size, tt.wantAvail, tt.want)
			}
		})
	}
}
