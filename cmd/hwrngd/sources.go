package main

import (
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/source/tty"
)

// sourceMaker makes one source of the configuration. After a reload, before is the one whose place
// it takes, which has been closed; else it is nil.
type sourceMaker func(cfg *Config, before source.Source, rec sourceMetrics, log *slog.Logger) source.Source

// sourceMetrics is the part of [metrics.Recorder] that sources report to.
type sourceMetrics interface {
	Source(name string) source.Recorder
	HWRNG(metrics.HWRNG)
}

// sourceKind is one row of the registry of sources.
type sourceKind struct {
	name string
	make sourceMaker
	// auto tells whether the configuration "auto" takes it.
	auto func(*Config) bool
	// needs is the option that says what to read, "" if there is none; auto tells whether it is set.
	needs string
	// executes sources run a program of the machine, which the sandbox would stop.
	executes bool
	// fallback sources cost CPU time: they work only while no other one is in use, or until the
	// kernel's generator is ready for the first time.
	fallback bool
}

// sourceKinds is the registry of sources, the preferred one first. "auto" takes hardware that is there
// for nothing else, then jitter.
var sourceKinds = slices.Concat([]sourceKind{
	{name: hwrng.Name, make: makeHWRNG, auto: always},
	{name: tty.Name, make: makeTTY, auto: func(c *Config) bool { return c.TTYDevice != "" }, needs: "tty-device"},
}, fullSources, []sourceKind{
	{name: jitter.Name, make: makeJitter, auto: always, fallback: true},
})

func always(*Config) bool { return true }

// kindOf returns the row of that name. The configuration has been checked, so there is one.
func kindOf(name string) sourceKind {
	return sourceKinds[slices.IndexFunc(sourceKinds, func(k sourceKind) bool { return k.name == name })]
}

func sourceNames() (names []string) {
	for _, k := range sourceKinds {
		names = append(names, k.name)
	}
	return names
}

// unknownSource is the mistake of a command line that names a source which is none of those known.
func unknownSource(name string, known []string) error {
	hint := "sources: " + strings.Join(known, ", ")
	if absent := absentSource(name); absent != nil {
		return exitErrorf(exitUsage, hint, "%w", absent)
	}
	return exitErrorf(exitUsage, hint, "unknown source %q%s", name, didYouMean(name, known))
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
			if k.auto(cfg) {
				want(k.name)
			}
		}
	}
	return names
}

func makeHWRNG(cfg *Config, before source.Source, rec sourceMetrics, log *slog.Logger) source.Source {
	opt := hwrngOptions(cfg)
	opt.Recorder, opt.Log = rec.Source(hwrng.Name), log
	opt.Class = func(c hwrng.Class) {
		rec.HWRNG(metrics.HWRNG{
			Current: c.Current, Available: c.Available,
			QualityRatio: float64(c.Quality) / linux.UnstatedQuality, QualityKnown: c.QualityShown,
		})
	}
	last, _ := before.(*hwrng.Source)
	return hwrng.New(opt, last)
}

func makeJitter(cfg *Config, _ source.Source, rec sourceMetrics, log *slog.Logger) source.Source {
	return jitter.New(jitter.Options{
		Sysfs:    linux.Sysfs(cfg.Sysfs),
		Procfs:   linux.Procfs(cfg.Procfs),
		Claim:    cfg.Entropy[jitter.Name],
		Busy:     secondProcessor,
		Recorder: rec.Source(jitter.Name),
		Log:      log,
	})
}

func makeTTY(cfg *Config, before source.Source, rec sourceMetrics, log *slog.Logger) source.Source {
	last, _ := before.(*tty.Source)
	return tty.New(tty.Options{
		Device: cfg.TTYDevice, Speed: cfg.TTYSpeed, Modem: cfg.TTYModem, Init: cfg.TTYInit, Claim: cfg.Entropy[tty.Name],
		Procfs: linux.Procfs(cfg.Procfs), Recorder: rec.Source(tty.Name), Log: log,
	}, last)
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
		Turn:        cfg.HWRNGTurn,
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

// vetLine refuses a configured line that can never be one, or that is the device of source hwrng as well: one
// device counts once. A line that is not there yet is no mistake.
func vetLine(cfg *Config) error {
	if cfg.TTYDevice == "" {
		return nil
	}
	line, err := linux.StatNode(cfg.TTYDevice)
	if err == nil && line.Type != linux.CharDevice {
		return exitErrorf(exitUsage, "name a serial line, best by its link below /dev/serial/by-id", "tty-device %s is no terminal line but a %s", cfg.TTYDevice, line)
	}
	other, otherErr := linux.StatNode(cfg.HWRNGDevice)
	same := filepath.Clean(cfg.TTYDevice) == filepath.Clean(cfg.HWRNGDevice) || err == nil && otherErr == nil && line.Same(other)
	if same && slices.Contains(wantedSources(cfg), hwrng.Name) {
		return exitErrorf(exitUsage, "leave hwrng-device as it was", "tty-device and hwrng-device are the same device, %s", cfg.TTYDevice)
	}
	return nil
}
