package main

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/internal/loglimit"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/textfile"
	"github.com/hwrngd/hwrngd/metrics/web"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// stopGrace is how long a stop waits for work in progress. What hangs longer ends with the
// process: a read of a dead device, an open of a FIFO, a call on a sink that does not answer.
const stopGrace = 500 * time.Millisecond

// daemon is everything that runs.
type daemon struct {
	cfg     *Config
	log     *slog.Logger      // for what an operator asked for
	quiet   *slog.Logger      // for what happens by itself: one line a kind and minute
	held    *loglimit.Handler // of quiet
	rec     *observer
	started time.Time
	feeder  *pool.Feeder
	web     *web.Server
	file    *textfile.Writer
	manager *manager

	hup        <-chan os.Signal // asks for a reload
	loadConfig func() (*Config, error)
	level      *slog.LevelVar
	sandboxed  *Config // that the sandbox was made for, nil without one
	repeat     bool    // the first lines of the log are lost, tell the state again
	tidy       func()  // gives back memory, called now and then

	pulse   chan chan struct{} // the supervisor's loop closes what it gets here
	feeding chan error         // the feeder's result

	mu      sync.Mutex // guards workers
	workers []*worker
}

// worker is a source's worker with what it takes to end it.
type worker struct {
	*source.Worker
	name   string
	src    source.Source
	cancel context.CancelFunc
	done   chan struct{}
}

// start sets everything in motion. Nothing of it waits for a device.
func (d *daemon) start(ctx context.Context) {
	d.startSources(ctx, nil, nil)
	d.feeding = make(chan error, 1)
	go func() { d.feeding <- d.feeder.Run(ctx) }()
	// Kernels tell since Linux 6.9. Without that, nothing that was tested is older than source.MaxAge.
	if err := linux.Uevents(d.kernelEvent); err != nil {
		d.quiet.Debug("copies of this machine will go unnoticed", "reason", err.Error())
	}
}

// kernelEvent is called with each event of the kernel.
func (d *daemon) kernelEvent(event map[string]string) {
	if event["NEW_VMGENID"] == "1" {
		source.Cloned()
		d.feeder.Cloned()
	}
}

// startSources makes a worker for each configured source, but for those that are kept. before are the
// sources that were closed for it, by name.
func (d *daemon) startSources(ctx context.Context, kept []*worker, before map[string]source.Source) {
	names := wantedSources(d.cfg)
	// A fallback with nothing to fall back from is a source like any other.
	alone := !slices.ContainsFunc(names, func(name string) bool { return !kindOf(name).fallback })
	var workers []*worker
	var supplies, fallback []pool.Supply
	for _, name := range names {
		var w *worker
		if i := slices.IndexFunc(kept, func(w *worker) bool { return w.name == name }); i >= 0 {
			w = kept[i]
		} else {
			w = d.startSource(ctx, name, before[name], !alone)
		}
		workers = append(workers, w)
		if kindOf(name).fallback && !alone {
			fallback = append(fallback, w)
		} else {
			supplies = append(supplies, w)
		}
	}
	d.mu.Lock()
	d.workers = workers
	d.mu.Unlock()
	d.feeder.SetSupplies(supplies...)
	d.feeder.SetFallback(fallback...)
}

// startSource makes a source and its worker. A lazy fallback does nothing before it is needed.
func (d *daemon) startSource(ctx context.Context, name string, before source.Source, lazy bool) *worker {
	kind := kindOf(name)
	src := kind.make(d.cfg, before, d.rec, d.quiet)
	ctx, cancel := context.WithCancel(ctx)
	w := &worker{name: name, src: src, cancel: cancel, done: make(chan struct{})}
	w.Worker = source.NewWorker(src, d.feeder.Blocks(), d.rec.Source(name), d.quiet)
	w.AfterFunc = linux.AfterFunc
	w.Lazy = kind.fallback && lazy
	go func() {
		defer close(w.done)
		w.Run(ctx)
	}()
	return w
}

// restartSources ends the workers and makes them anew by the present configuration. A source that
// failed for good stays so: no reload brings it back. Up to the change the status shows the old ones.
func (d *daemon) restartSources(ctx context.Context) {
	var failed, others []*worker
	for _, w := range d.running() {
		if w.Snapshot().State == source.Failed.String() {
			failed = append(failed, w)
		} else {
			others = append(others, w)
		}
	}
	closed := stopWorkers(others)
	d.startSources(ctx, failed, closed)
	for _, w := range failed {
		if !slices.Contains(d.running(), w) { // it is not wanted any more
			w.cancel()
		}
	}
}

// stopWorkers ends workers and waits a little, so that each can leave rng_current as it found it.
// It returns the sources that are closed, by name; one that hangs is left behind.
func stopWorkers(workers []*worker) (closed map[string]source.Source) {
	closed = map[string]source.Source{}
	limit := time.After(stopGrace)
	for _, w := range workers {
		w.cancel()
	}
	for _, w := range workers {
		select {
		case <-w.done:
			closed[w.name] = w.src
		case <-limit:
			return closed
		}
	}
	return closed
}

func (d *daemon) running() []*worker {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.workers
}

// status returns the daemon's state now. It never waits for a device.
func (d *daemon) status() *pool.Status {
	policy := d.feeder.Policy()
	s := &pool.Status{
		Version: buildVersion().Version, PID: os.Getpid(), Started: d.started,
		Monitor: policy.Monitor, Refill: policy.RefillInterval,
		Credits: d.feeder.Credits(),
	}
	for _, w := range d.running() {
		s.Sources = append(s.Sources, w.Snapshot())
	}
	return s
}

// policyOf returns the feeder's part of the configuration.
func policyOf(cfg *Config) pool.Policy {
	return pool.Policy{RefillInterval: cfg.RefillInterval, Monitor: cfg.Monitor, MixUncredited: cfg.MixUncredited}
}

// newDaemon puts the parts together.
func newDaemon(cfg *Config, kernel pool.Kernel, rec metrics.Recorder, pages exposition, log *slog.Logger, started time.Time) *daemon {
	held := loglimit.New(log.Handler())
	quiet := slog.New(held)
	d := &daemon{cfg: cfg, log: log, quiet: quiet, held: held, rec: observe(rec), started: started, pulse: make(chan chan struct{}), tidy: func() {}}
	d.feeder = pool.NewFeeder(kernel, pool.Options{
		Policy: policyOf(cfg), Once: cfg.Once, Started: started, Recorder: d.rec, Log: quiet, AfterFunc: linux.AfterFunc,
	})
	d.rec.sourceChanged = d.feeder.SourceChanged
	d.web = web.New(web.Options{
		Metrics: pages.page,
		Healthy: d.healthy,
		Ready:   func() (bool, string) { return d.status().Ready() },
		Status:  d.status,
		Logger:  quiet,
		Sockets: passedSockets(),
		Seeded:  d.rec.seeded,
		Failed:  d.rec.ExportFailed,
	})
	d.file = textfile.New(textfile.Options{
		Write:  pages.text,
		Failed: func() { d.rec.ExportFailed(metrics.Textfile) },
		Logger: quiet,
	})
	d.manager = newManager(rec, log)
	return d
}
