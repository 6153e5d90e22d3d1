package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// plant writes files below dir; a name that ends in / is an empty directory.
func plant(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if !strings.HasSuffix(name, "/") {
			kit.WriteFile(t, path, text, 0o644)
		} else if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

const classDir = "sys/class/misc/hw_random/"

// generators is the hw_random class with these names, in the kernel's form.
func generators(current, available string) map[string]string {
	return map[string]string{classDir + "rng_current": current + "\n", classDir + "rng_available": available + " \n"}
}

// fifo makes a FIFO that stands for a device. What is written to the returned file can be read
// from it; until the file is closed a reader waits for more.
func fifo(t *testing.T, path string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // both ways, or it would wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// goodFIFO makes a FIFO with a good generator behind it.
func goodFIFO(t *testing.T, path string) {
	t.Helper()
	f := fifo(t, path)
	go func() { _, _ = io.Copy(f, sourcetest.Good("hwrng")) }() // ends when the test closes f
}

// noPages are the metrics of a daemon of which nobody wants any by HTTP.
func noPages() exposition {
	_, pages := newRecorder()
	pages.text = func(w io.Writer) error {
		_, err := io.WriteString(w, "hwrngd_ready 0\n")
		return err
	}
	return pages
}

// rig is a daemon between fakes of all that it talks to. Its device is the FIFO dir/hwrng, which the
// test makes, or nothing.
type rig struct {
	t      *testing.T
	dir    string
	kernel *pooltest.Kernel
	rec    *metricstest.Recorder
	log    *sourcetest.Log
	d      *daemon
	hup    chan os.Signal
}

// newRig returns a daemon that has not started, with options such as "refill-interval=1s".
func newRig(t *testing.T, kernel *pooltest.Kernel, options ...string) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), kernel: kernel, rec: &metricstest.Recorder{}, log: &sourcetest.Log{}, hup: make(chan os.Signal, 1)}
	level := new(slog.LevelVar)
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	cfg, err := r.config(options...)
	if err != nil {
		t.Fatal(err)
	}
	r.d = newDaemon(cfg, kernel, r.rec, noPages(), log, time.Now())
	r.d.level, r.d.hup, r.d.feeding = level, r.hup, make(chan error, 1)
	r.d.loadConfig = func() (*Config, error) { return cfg, nil }
	// The daemon's own timers are the kernel's, which synctest cannot speed up.
	r.d.manager.after = time.After
	r.d.feeder = pool.NewFeeder(kernel, pool.Options{
		Policy: policyOf(cfg), Once: cfg.Once, Started: r.d.started, Recorder: r.d.rec, Log: r.d.quiet,
	})
	return r
}

// config is the rig's configuration with these options changed. CPU jitter is left out: what it gives
// and when depends on the machine.
func (r *rig) config(options ...string) (*Config, error) {
	flags := map[string][]string{
		"config": {os.DevNull}, "metrics-listen": {"off"}, "sources": {"hwrng"},
		"sysfs": {filepath.Join(r.dir, "sys")}, "procfs": {filepath.Join(r.dir, "proc")},
		"hwrng-device": {filepath.Join(r.dir, "hwrng")}, "runtime-dir": {filepath.Join(r.dir, "run")},
	}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		flags[name] = optionByName(name).split(value)
	}
	return LoadConfig(ConfigInput{Flags: flags})
}

// work gives the daemon a running worker of src, in place of those that the configuration wants.
// Its blocks are taken and dropped.
func (r *rig) work(ctx context.Context, src source.Source) *worker {
	blocks := make(chan *source.Block)
	ctx, cancel := context.WithCancel(ctx)
	w := &worker{name: src.Info().Name, src: src, cancel: cancel, done: make(chan struct{})}
	w.Worker = source.NewWorker(src, blocks, r.d.rec.Source("hwrng"), r.d.quiet)
	go func() {
		defer close(w.done)
		defer close(blocks)
		w.Run(ctx)
	}()
	go func() {
		for b := range blocks {
			b.Discard()
		}
	}()
	r.d.workers = []*worker{w}
	return w
}

// supervise starts the daemon's main loop.
func (r *rig) supervise(ctx context.Context) (code <-chan int) {
	c := make(chan int, 1)
	go func() { c <- r.d.supervise(ctx) }()
	return c
}

// logged fails the test unless exactly so many lines contain text.
func (r *rig) logged(want int, level slog.Level, text string) {
	r.t.Helper()
	if lines := r.log.Lines(level, text); len(lines) != want {
		r.t.Errorf("%d lines with %q, want %d; log: %q", len(lines), text, want, r.log.Lines(slog.LevelDebug, ""))
	}
}

// serviceManager is the receiving end of sd_notify.
type serviceManager struct {
	t    *testing.T
	path string
	fd   int
}

// newServiceManager makes the process a service, until the test ends. The socket is read without
// the Go runtime's help, since synctest must not see a wait for it.
func newServiceManager(t *testing.T) *serviceManager {
	t.Helper()
	m := &serviceManager{t: t, path: filepath.Join(t.TempDir(), "notify")}
	var err error
	if m.fd, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(m.fd) })
	if err := syscall.Bind(m.fd, &syscall.SockaddrUnix{Name: m.path}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTIFY_SOCKET", m.path)
	return m
}

// messages returns what came since it was last called.
func (m *serviceManager) messages() (all []string) {
	buf := make([]byte, 4096)
	for {
		n, _, err := syscall.Recvfrom(m.fd, buf, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return all
		}
		all = append(all, string(buf[:n]))
	}
}
