package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func openRandom(t *testing.T, path string) *RandomDevice {
	t.Helper()
	d, err := OpenRandom(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// mayCredit skips the test where this process cannot credit the kernel, and says so.
func mayCredit(t *testing.T, d *RandomDevice) {
	t.Helper()
	if err := d.ProbeAddEntropy(); err != nil {
		if os.Geteuid() == 0 && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOSYS) {
			t.Fatalf("root cannot add entropy: %v", err)
		}
		t.Skipf("no CAP_SYS_ADMIN, or emulated: %v", err)
	}
}

func TestRealRandomDevice(t *testing.T) {
	for _, path := range []string{"/dev/random", "/dev/urandom"} {
		t.Run(path, func(t *testing.T) {
			d := openRandom(t, path)
			if d.Node().KernelGenerator() != path {
				t.Errorf("node is %v", d.Node())
			}
			flags := fdFlags(t, d.fd)
			if flags&unix.O_ACCMODE != unix.O_RDWR || flags&unix.O_CLOEXEC == 0 || flags&unix.O_NONBLOCK == 0 {
				t.Errorf("opened with flags %#o", flags)
			}

			bits, err := d.EntropyCount()
			if err != nil {
				t.Fatal(err)
			}
			if poolSize, err := Procfs("/proc").PoolSize(); err == nil && (bits < 0 || bits > poolSize) {
				t.Errorf("entropy count is %d of %d", bits, poolSize)
			}
			if n, err := d.Write([]byte("hwrngd test")); n != 11 || err != nil {
				t.Errorf("write: %d, %v", n, err)
			}

			mayCredit(t, d)
			for _, c := range []struct{ bytes, credit int }{{0, 0}, {1, 0}, {1, 8}, {31, 1}, {MaxAddEntropy, 0}} {
				if err := d.AddEntropy(make([]byte, c.bytes), c.credit); err != nil {
					t.Errorf("%d bytes with %d bits: %v", c.bytes, c.credit, err)
				}
			}
			// Old kernels and those not yet seeded refuse, which callers put up with.
			if err := d.ReseedCRNG(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENODATA) {
				t.Error(err)
			}
		})
	}
}

func TestCRNGReady(t *testing.T) {
	ready, err := CRNGReady()
	if err != nil {
		t.Fatal(err)
	}
	// Every machine that got as far as running tests has seeded its generator.
	if !ready {
		t.Error("generator is not ready")
	}
}

// No call that the kernel would take without complaint, though it is wrong, may reach it. The
// descriptor -1 tells: the kernel's own answer to it is EBADF.
func TestAddEntropyRefuses(t *testing.T) {
	d := &RandomDevice{fd: -1, path: "/dev/nowhere"}
	for _, c := range []struct {
		name          string
		bytes, credit int
		refused       bool
	}{
		{"nothing", 0, 0, false},
		{"no credit", 64, 0, false},
		{"full credit", 64, 512, false},
		{"one bit more", 64, 513, true},
		{"credit without data", 0, 1, true},
		{"negative credit", 64, -1, true},
		{"most negative credit", 64, -1 << 31, true},
		{"longest", MaxAddEntropy, 8 * MaxAddEntropy, false},
		{"too long", MaxAddEntropy + 1, 0, true},
		{"credit overflows int32", 64, 1<<31 - 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := d.AddEntropy(make([]byte, c.bytes), c.credit)
			if err == nil {
				t.Fatal("no error")
			}
			if reached := errors.Is(err, unix.EBADF); reached == c.refused {
				t.Errorf("reached the kernel: %v (%v)", reached, err)
			}
			if !strings.Contains(err.Error(), "/dev/nowhere") {
				t.Errorf("error does not name the device: %v", err)
			}
		})
	}
}

func TestNoRandomDevice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"null": "/dev/null", "file": file, "FIFO": mkfifo(t)} {
		t.Run(name, func(t *testing.T) {
			var d *RandomDevice
			within(t, 5*time.Second, "open", func() { d = openRandom(t, path) })
			errs := map[string]error{"probe": d.ProbeAddEntropy(), "add": d.AddEntropy(make([]byte, 64), 8), "reseed": d.ReseedCRNG()}
			_, errs["count"] = d.EntropyCount()
			for call, err := range errs {
				if !errors.Is(err, unix.ENOTTY) {
					t.Errorf("%s: %v, want ENOTTY", call, err)
				}
			}
		})
	}
}

func TestOpenRandomErrors(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		want error
	}{
		"missing":   {filepath.Join(t.TempDir(), "random"), os.ErrNotExist},
		"directory": {t.TempDir(), unix.EISDIR},
	} {
		t.Run(name, func(t *testing.T) {
			noLeak(t, func() {
				if _, err := OpenRandom(c.path); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.path) {
					t.Errorf("got %v, want %v with the path", err, c.want)
				}
			})
		})
	}
}

func childAddEntropy([]string) error {
	d, err := OpenRandom("/dev/random")
	if err != nil {
		return err
	}
	ready, err := CRNGReady()
	fmt.Printf("ready=%v,%v ", ready, err)
	fmt.Printf("probe=%v ", errors.Is(d.ProbeAddEntropy(), os.ErrPermission))
	fmt.Printf("add=%v ", errors.Is(d.AddEntropy(make([]byte, 32), 0), unix.EPERM))
	fmt.Printf("credit=%v ", errors.Is(d.AddEntropy(make([]byte, 32), 8), unix.EPERM))
	_, err = d.EntropyCount()
	fmt.Printf("count=%v ", err)
	n, err := d.Write(make([]byte, 32))
	fmt.Printf("write=%d,%v", n, err)
	return nil
}

// Without CAP_SYS_ADMIN, everything that credits is refused and all else works.
func TestUnprivileged(t *testing.T) {
	got := output(t, asNobody(t, child(t, "add-entropy")))
	if want := "ready=true,<nil> probe=true add=true credit=true count=<nil> write=32,<nil>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FC-082: the first field is the credit in bits, the second the length in bytes. strace decodes
// what really goes to the kernel.
func TestIoctlArgument(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip(err)
	}
	if os.Getenv(childEnv+"_TRACED") == "" {
		needRoot(t)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		trace := filepath.Join(t.TempDir(), "trace")
		cmd := exec.Command(strace, "-f", "-qq", "-o", trace, "-e", "trace=ioctl", self, "-test.run=^TestIoctlArgument$")
		cmd.Env = append(os.Environ(), childEnv+"_TRACED=1")
		out, err := cmd.CombinedOutput()
		text, _ := os.ReadFile(trace)
		if err != nil {
			t.Skipf("strace cannot trace here: %v: %s", err, out)
		}
		want := regexp.MustCompile(`RNDADDENTROPY, \{entropy_count=128, buf_size=32, buf="(\\1){32}"\}\) = 0`)
		if !want.Match(text) {
			t.Errorf("trace is\n%s", text)
		}
		return
	}
	d := openRandom(t, "/dev/random")
	mayCredit(t, d)
	data := make([]byte, 32)
	for i := range data {
		data[i] = 1
	}
	if err := d.AddEntropy(data, 128); err != nil {
		t.Fatal(err)
	}
}

// fill writes to a FIFO that both ends are open of, until it is full.
func fill(t *testing.T, d *RandomDevice) {
	t.Helper()
	for block := make([]byte, 4096); ; {
		if _, err := d.Write(block); errors.Is(err, unix.EAGAIN) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A FIFO plays the kernel that asks for entropy (with room) or does not (full).
func TestWaitWritable(t *testing.T) {
	t.Run("asks", func(t *testing.T) {
		d := openRandom(t, mkfifo(t))
		noLeak(t, func() {
			if asked, err := d.WaitWritable(t.Context(), time.Minute); !asked || err != nil {
				t.Errorf("%v, %v", asked, err)
			}
		})
	})
	t.Run("limit passes", func(t *testing.T) {
		d := openRandom(t, mkfifo(t))
		fill(t, d)
		for _, limit := range []time.Duration{-time.Second, 0, 1, 30 * time.Millisecond} {
			begin := time.Now()
			noLeak(t, func() {
				if asked, err := d.WaitWritable(t.Context(), limit); asked || err != nil {
					t.Errorf("limit %s: %v, %v", limit, asked, err)
				}
			})
			if took := time.Since(begin); took < limit || took > limit+2*time.Second {
				t.Errorf("limit %s: took %s", limit, took)
			}
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		d := openRandom(t, mkfifo(t))
		fill(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		noLeak(t, func() {
			if asked, err := d.WaitWritable(ctx, time.Minute); asked || !errors.Is(err, context.Canceled) {
				t.Errorf("%v, %v", asked, err)
			}
		})
	})
	t.Run("cancelled while it waits", func(t *testing.T) {
		d := openRandom(t, mkfifo(t))
		fill(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled time.Time
		time.AfterFunc(20*time.Millisecond, func() { cancelled = time.Now(); cancel() })
		noLeak(t, func() {
			if asked, err := d.WaitWritable(ctx, time.Minute); asked || !errors.Is(err, context.Canceled) {
				t.Errorf("%v, %v", asked, err)
			}
		})
		// Milliseconds in fact; a loaded machine gets more.
		if late := time.Since(cancelled); late > time.Second {
			t.Errorf("returned %s after the end of its context", late)
		}
	})
	t.Run("asks later", func(t *testing.T) {
		path := mkfifo(t)
		d := openRandom(t, path)
		fill(t, d)
		time.AfterFunc(20*time.Millisecond, func() {
			// Draining a page or more makes room; d itself can read, being open for both.
			buf := make([]byte, 8192)
			unix.Read(d.fd, buf)
		})
		if asked, err := d.WaitWritable(t.Context(), time.Minute); !asked || err != nil {
			t.Errorf("%v, %v", asked, err)
		}
	})
	t.Run("urandom always asks", func(t *testing.T) {
		if asked, err := openRandom(t, "/dev/urandom").WaitWritable(t.Context(), time.Minute); !asked || err != nil {
			t.Errorf("%v, %v", asked, err)
		}
	})
	t.Run("random of a modern kernel never asks", func(t *testing.T) {
		if n, err := Procfs("/proc").PoolSize(); err != nil || n != 256 {
			t.Skipf("pool size is %d, %v", n, err)
		}
		if asked, err := openRandom(t, "/dev/random").WaitWritable(t.Context(), 20*time.Millisecond); asked || err != nil {
			t.Errorf("%v, %v", asked, err)
		}
	})
	t.Run("hung up", func(t *testing.T) {
		// The write end of a pipe without a reader is in error for ever: waiting for it must not
		// turn into a busy loop.
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			t.Fatal(err)
		}
		d := &RandomDevice{fd: p[1], path: "pipe"}
		defer d.Close()
		fill(t, d)
		unix.Close(p[0])
		within(t, 10*time.Second, "wait", func() {
			if asked, err := d.WaitWritable(t.Context(), time.Minute); !asked && err == nil {
				t.Errorf("neither asked nor failed")
			}
		})
	})
	t.Run("closed", func(t *testing.T) {
		d := &RandomDevice{fd: 1 << 20, path: "closed"}
		if asked, err := d.WaitWritable(t.Context(), time.Minute); asked || !errors.Is(err, unix.EIO) {
			t.Errorf("%v, %v", asked, err)
		}
	})
}

func TestRetryEINTR(t *testing.T) {
	left := 3
	n, err := retryEINTR(func() (int, error) {
		if left--; left > 0 {
			return -1, syscall.EINTR
		}
		return 7, nil
	})
	if n != 7 || err != nil || left != 0 {
		t.Errorf("%d, %v, %d calls left", n, err, left)
	}
}
