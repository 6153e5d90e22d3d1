package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// vetConfigured refuses to read a source that only the configuration could say how to read.
func vetConfigured(cfg *Config, name string) error {
	option, set := cfg.needs(name)
	if set {
		return nil
	}
	return exitErrorf(exitUsage, fmt.Sprintf("set --%s, or %s in the configuration file", option, option), "source %s is not configured", name)
}

// openSource returns the source that the daemon would use, for a command that reads it with nobody
// behind it.
func openSource(cfg *Config, name string) source.Source {
	if name == jitter.Name {
		return openJitter(cfg)
	}
	if cfg.HWRNGSelect == hwrng.Rotate { // a look at the present generator is no reason to take turns
		kept := *cfg
		kept.HWRNGSelect = hwrng.Keep
		cfg = &kept
	}
	return kindOf(name).make(cfg, nil, nobody{}, slog.New(slog.DiscardHandler))
}

// openJitter is openSource for the jitter source, which leaves the runtime of a command alone.
func openJitter(cfg *Config) *jitter.Source {
	return jitter.New(jitter.Options{
		Sysfs: linux.Sysfs(cfg.Sysfs), Procfs: linux.Procfs(cfg.Procfs), Claim: cfg.Entropy[jitter.Name], Clock: noiseClock(),
	})
}

// passing is how many errors that may pass a command takes before it gives up a source that has given nothing
// so far: enough for source cpu to go on to the next instruction.
const passing = 10

// readSettled reads from a source that is new: again if another generator took the place of the first one, and
// again after errors that may pass.
func readSettled(ctx context.Context, src contextReader, buf []byte) (n int, err error) {
	for range passing {
		n, err = src.Read(ctx, buf)
		_, unavailable := errors.AsType[*source.UnavailableError](err)
		_, failed := errors.AsType[*source.FailedError](err)
		if err == nil || unavailable || failed || ctx.Err() != nil {
			break
		}
	}
	return n, err
}

// nobody is told what a source does and is not interested.
type nobody struct{}

var (
	_ source.Recorder = nobody{}
	_ sourceMetrics   = nobody{}
)

func (nobody) Source(string) source.Recorder                       { return nobody{} }
func (nobody) HWRNG(metrics.HWRNG)                                 {}
func (nobody) Info(source.Info)                                    {}
func (nobody) State(source.State)                                  {}
func (nobody) Read(int, time.Duration)                             {}
func (nobody) ReadError(source.ReadReason)                         {}
func (nobody) Discarded(int, source.DiscardReason)                 {}
func (nobody) Block(fips.Failure)                                  {}
func (nobody) HealthSamples(int)                                   {}
func (nobody) HealthFailure(source.HealthTest, sp80090b.Verdict)   {}
func (nobody) HealthCutoff(source.HealthTest, int, sp80090b.Alpha) {}
func (nobody) StartupTest(time.Duration)                           {}
func (nobody) MinEntropy([]float64)                                {}
func (nobody) Success(time.Time)                                   {}
