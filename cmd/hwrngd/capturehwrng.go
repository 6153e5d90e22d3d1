package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// hwrngFacts describe the device that samples come from.
type hwrngFacts struct {
	Device      string  `json:"device"`
	Generator   string  `json:"generator,omitempty"`
	MinEntropy  float64 `json:"claimed_min_entropy_bits_per_byte"`
	ClaimOrigin string  `json:"claim_origin"`
	Note        string  `json:"note,omitempty"`
}

func factsOf(info source.Info) *hwrngFacts {
	return &hwrngFacts{Device: info.Device, Generator: info.Driver, MinEntropy: info.MinEntropy, ClaimOrigin: info.ClaimOrigin, Note: info.Note}
}

// openHWRNG returns the source that the daemon would use, with nobody behind it.
func openHWRNG(cfg *Config) *hwrng.Source {
	opt := hwrngOptions(cfg)
	opt.Recorder, opt.Log = nobody{}, slog.New(slog.DiscardHandler)
	return hwrng.New(opt, nil)
}

// captureHWRNG writes bytes of the device as they come. They go through the daemon's own source, so
// that the first ones after the open are dropped and bytes of two generators never mix. The facts are
// of the generator that gave them.
func captureHWRNG(ctx context.Context, cfg *Config, opt *captureOptions, out io.Writer, count *tally) (*hwrngFacts, error) {
	src := openHWRNG(cfg)
	defer src.Close()
	buf := make([]byte, 4096)
	for left := opt.samples; left > 0; {
		n, err := src.Read(ctx, buf[:min(left, len(buf))])
		if err != nil {
			return factsOf(src.Info()), deviceError(err, cfg.HWRNGDevice)
		}
		if _, err := out.Write(buf[:n]); err != nil {
			return factsOf(src.Info()), err
		}
		left -= n
		count.done.Add(int64(n))
	}
	return factsOf(src.Info()), nil
}

// deviceError gives an error of the hwrng source its exit code and a hint.
func deviceError(err error, device string) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if changed, ok := errors.AsType[*source.ChangedError](err); ok {
		return exitErrorf(exitIO, "the kernel put another generator behind the device; capture again", "capture from %s: %w", device, changed)
	}
	unavailable, ok := errors.AsType[*source.UnavailableError](err)
	refused, isRefused := errors.AsType[*hwrng.RefusedError](err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return exitErrorf(exitPermission, "only root may read the device: use sudo", "%w", err)
	case isRefused:
		return &exitError{code: exitUsage, err: refused, hint: refused.Hint}
	case ok && unavailable.Denied:
		return exitErrorf(exitUnavailable, unavailable.Hint, "%w", err)
	case ok:
		return exitErrorf(exitNoInput, unavailable.Hint, "%w", err)
	}
	return exitErrorf(exitIO, "", "read from %s: %w", device, err)
}

// nobody is a Recorder that is not interested.
type nobody struct{}

var _ source.Recorder = nobody{}

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
func (nobody) Success(time.Time)                                   {}
