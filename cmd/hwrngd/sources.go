package main

import (
	"errors"
	"log/slog"
	"runtime"
	"slices"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/jitter"
)

// sourceMaker makes one source of the configuration. After a reload, before is the one whose place
// it takes, which has been closed; else it is nil.
type sourceMaker func(cfg *Config, before source.Source, rec metrics.Recorder, log *slog.Logger) source.Source

// sourceKind is one row of the registry of sources.
type sourceKind struct {
	name string
	make sourceMaker
	// fallback sources cost CPU time: they work only while no other one is in use, or until the
	// kernel's generator is ready for the first time.
	fallback bool
}

// sourceKinds is the registry of sources, in the order of preference that "auto" stands for.
var sourceKinds = []sourceKind{
	{name: hwrng.Name, make: makeHWRNG},
	{name: jitter.Name, make: makeJitter, fallback: true},
}

// kindOf returns the row of that name. The configuration has been checked, so there is one.
func kindOf(name string) sourceKind {
	return sourceKinds[slices.IndexFunc(sourceKinds, func(k sourceKind) bool { return k.name == name })]
}

// wantedSources returns the names of the configured sources, the preferred one first, each once.
func wantedSources(cfg *Config) []string {
	var names []string
	want := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range cfg.Sources {
		if name != "auto" {
			want(name)
			continue
		}
		for _, k := range sourceKinds {
			want(k.name)
		}
	}
	return names
}

func makeHWRNG(cfg *Config, before source.Source, rec metrics.Recorder, log *slog.Logger) source.Source {
	opt := hwrngOptions(cfg)
	opt.Recorder, opt.Log = rec.Source(hwrng.Name), log
	opt.Class = func(c hwrng.Class) {
		rec.HWRNG(metrics.HWRNG{
			Current: c.Current, Available: c.Available,
			QualityRatio: float64(c.Quality) / linux.UnstatedQuality, QualityKnown: c.Quality > 0,
		})
	}
	last, _ := before.(*hwrng.Source)
	return hwrng.New(opt, last)
}

func makeJitter(cfg *Config, _ source.Source, rec metrics.Recorder, log *slog.Logger) source.Source {
	return jitter.New(jitter.Options{
		Sysfs:    linux.Sysfs(cfg.Sysfs),
		Procfs:   linux.Procfs(cfg.Procfs),
		Claim:    cfg.Entropy[jitter.Name],
		Busy:     secondProcessor,
		Recorder: rec.Source(jitter.Name),
		Log:      log,
	})
}

// secondProcessor gives the Go runtime two processors while noise is being made, else one. The
// noise loop runs at low priority: on a busy machine it can hold a processor for a second without
// getting on, and with it everything that waits for that processor.
func secondProcessor(busy bool) {
	n := 1
	if busy {
		n = 2
	}
	runtime.GOMAXPROCS(n)
}

// hwrngOptions is the part of the configuration that the hwrng source takes.
func hwrngOptions(cfg *Config) hwrng.Options {
	return hwrng.Options{
		Device:      cfg.HWRNGDevice,
		Sysfs:       linux.Sysfs(cfg.Sysfs),
		Select:      cfg.HWRNGSelect,
		Deny:        cfg.HWRNGDeny,
		Entropy:     cfg.Entropy[hwrng.Name],
		FailureRate: cfg.FailureRate[hwrng.Name],
		AllowFile:   cfg.AllowFileSource,
	}
}

// vetDevice refuses a configured device that can never be a source. One that is not there yet is
// no mistake.
func vetDevice(cfg *Config) error {
	_, _, err := hwrng.Locate(cfg.HWRNGDevice, cfg.AllowFileSource)
	if refused, ok := errors.AsType[*hwrng.RefusedError](err); ok {
		return &exitError{code: exitUsage, err: refused, hint: refused.Hint}
	}
	return nil
}
