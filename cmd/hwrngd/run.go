package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/web"
	"github.com/hwrngd/hwrngd/pool"
)

// processStarted is as early as this program can look at the clock.
var processStarted = time.Now()

// exposition gives the metrics away.
type exposition struct {
	page web.Metrics           // for those who ask
	text func(io.Writer) error // for the textfile collector
}

// cmdRun is the daemon.
func cmdRun(ctx context.Context, inv *Invocation) int {
	defer endAnyway(ctx)()
	// From here on: whoever asks for a reload early must not kill the daemon.
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)

	cfg, err := inv.LoadConfig()
	if err != nil {
		return inv.Fail(err)
	}
	if err := vet(cfg); err != nil {
		return inv.Fail(err)
	}
	// All of it is waiting, so one processor is plenty, and a second one would only be woken to
	// look for work. A fixed number also ends the runtime's own polling of the CPU limit.
	secondProcessor(false)
	limitGarbage()
	rec, pages := newRecorder()
	format := inv.logFormat(cfg)
	direct, level := inv.NewLogger(format, cfg.LogLevel, rec.LogMessage)
	handler, flush := newQueueHandler(direct.Handler())
	defer flush(stopGrace / 2)
	log := slog.New(handler)

	lock, err := lockRuntimeDir(cfg.RuntimeDir, log)
	if err != nil {
		return inv.Fail(err)
	}
	if lock != nil {
		defer lock.Release()
	}
	var sandboxed *Config
	if inv.sandbox != nil && cfg.Sandbox {
		inv.sandbox(cfg, log)
		sandboxed = cfg
	}
	kernel, err := openKernel(cfg)
	if err != nil {
		return inv.Fail(err)
	}
	recordBuild(rec)
	rec.Reloaded(true, time.Now())
	for _, w := range cfg.Warnings {
		log.Warn("configuration", "warning", w)
	}

	d := newDaemon(cfg, kernel, rec, pages, log, processStarted)
	d.loadConfig, d.level, d.hup, d.sandboxed = inv.LoadConfig, level, hup, sandboxed
	d.repeat = format == "procd"
	d.tidy = tidier(cfg, log)
	log.Info("started", "version", buildVersion().Version, "sources", strings.Join(wantedSources(cfg), " "), "crng_ready", d.feeder.Credits().CRNGReady)
	d.start(ctx)
	d.publish(cfg)
	if lock != nil {
		socket, err := serveStatus(cfg.RuntimeDir, d.status, log)
		if err != nil {
			log.Warn("no status socket", "reason", err.Error())
		} else {
			defer socket.Close()
		}
	}
	return d.supervise(ctx)
}

// lastResort is when a daemon that was told to stop ends in the middle of whatever hangs.
const lastResort = 900 * time.Millisecond

// endAnyway ends the process soon after ctx is done, if the function that it returns has not been
// called by then. Some calls cannot be given up: a sink that does not answer, for one.
func endAnyway(ctx context.Context) (returned func()) {
	done := make(chan struct{})
	context.AfterFunc(ctx, func() {
		select {
		case <-done:
		case <-time.After(lastResort):
			os.Exit(exitOK)
		}
	})
	return func() { close(done) }
}

// lockRuntimeDir makes sure that no other hwrngd runs. Where the directory cannot be had, as in
// early boot, it returns nil and the daemon goes on without: it needs no file to do its work.
func lockRuntimeDir(dir string, log *slog.Logger) (*linux.Lock, error) {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var lock *linux.Lock
		if lock, err = linux.TryLock(filepath.Join(dir, "lock")); err == nil {
			return lock, nil
		}
	}
	if locked, ok := errors.AsType[*linux.LockedError](err); ok {
		return nil, exitErrorf(exitAlreadyRunning, "stop it first, or give this one another --runtime-dir",
			"another hwrngd already runs: %w", locked)
	}
	log.Warn("no runtime directory, going on without lock and status socket", "reason", err.Error())
	return nil, nil
}

// openKernel opens the sink and says what is wrong with it in the user's terms.
func openKernel(cfg *Config) (pool.Kernel, error) {
	kernel, err := pool.OpenKernel(cfg.RandomDevice, linux.Procfs(cfg.Procfs))
	if err == nil {
		return kernel, nil
	}
	if notRandom, ok := errors.AsType[*pool.NotRandomError](err); ok {
		return nil, exitErrorf(exitUsage, "--random-device must be the kernel's /dev/random; crediting works only there", "%w", notRandom)
	}
	err = fmt.Errorf("cannot open the kernel's random device: %w", err)
	if errors.Is(err, os.ErrPermission) {
		return nil, exitErrorf(exitPermission, "a device filter of a container or of the service manager may forbid it", "%w", err)
	}
	return nil, exitErrorf(exitOS, "", "%w", err)
}

// recordBuild records what runs here.
func recordBuild(rec metrics.Recorder) {
	b := buildVersion()
	rec.BuildInfo(metrics.Build{
		Version: b.Version, Revision: b.Revision, GoVersion: b.Go, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Tags: b.Settings["-tags"],
	})
}
