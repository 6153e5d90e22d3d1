package main

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// sourceMaker makes one source of the configuration. After a reload, before is the one whose place
// it takes, which has been closed; else it is nil.
type sourceMaker func(cfg *Config, before source.Source, rec metrics.Recorder, log *slog.Logger) source.Source

// sourceMakers is the registry of sources, in the order of preference that "auto" stands for.
var sourceMakers = []struct {
	name string
	make sourceMaker
}{
	{hwrng.Name, makeHWRNG},
}

// wantedSources returns the names of the configured sources, the preferred one first.
func wantedSources(cfg *Config) []string {
	var names []string
	for _, name := range cfg.Sources {
		if name != "auto" {
			names = append(names, name)
			continue
		}
		for _, m := range sourceMakers {
			names = append(names, m.name)
		}
	}
	// A source that is named twice is read once.
	slices.SortStableFunc(names, func(a, b string) int { return slices.Index(names, a) - slices.Index(names, b) })
	return slices.Compact(names)
}

// makeSource makes the source of that name. The configuration has been checked, so it is known.
func makeSource(name string, cfg *Config, before source.Source, rec metrics.Recorder, log *slog.Logger) source.Source {
	i := slices.IndexFunc(sourceMakers, func(m struct {
		name string
		make sourceMaker
	},
	) bool {
		return m.name == name
	})
	return sourceMakers[i].make(cfg, before, rec, log)
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

// hwrngOptions is the part of the configuration that the hwrng source takes.
func hwrngOptions(cfg *Config) hwrng.Options {
	return hwrng.Options{
		Device:    cfg.HWRNGDevice,
		Sysfs:     linux.Sysfs(cfg.Sysfs),
		Select:    cfg.HWRNGSelect,
		Deny:      cfg.HWRNGDeny,
		Entropy:   cfg.Entropy[hwrng.Name],
		AllowFile: cfg.AllowFileSource,
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
