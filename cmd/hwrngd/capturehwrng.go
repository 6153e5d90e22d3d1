package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// sourceFacts describe the source that samples come from.
type sourceFacts struct {
	Device      string  `json:"device,omitempty"`
	Generator   string  `json:"generator,omitempty"`
	MinEntropy  float64 `json:"claimed_min_entropy_bits_per_byte"`
	ClaimOrigin string  `json:"claim_origin"`
	Note        string  `json:"note,omitempty"`
}

func factsOf(info source.Info) *sourceFacts {
	return &sourceFacts{Device: info.Device, Generator: info.Driver, MinEntropy: info.MinEntropy, ClaimOrigin: info.ClaimOrigin, Note: info.Note}
}

// captureSource writes bytes of a source other than jitter as they come. They go through the daemon's own
// source, so that what a device holds from before is dropped and bytes of two generators never mix. The
// facts are of the generator that gave them.
func captureSource(ctx context.Context, cfg *Config, opt *captureOptions, out io.Writer, count *tally) (*sourceFacts, error) {
	src := openSource(cfg, opt.source)
	defer src.Close()
	buf := make([]byte, 4096)
	for left := opt.samples; left > 0; {
		n, err := src.Read(ctx, buf[:min(left, len(buf))])
		if err != nil && left == opt.samples {
			n, err = readSettled(ctx, src, buf[:min(left, len(buf))])
		}
		if err != nil {
			return factsOf(src.Info()), sourceError(err, src.Info())
		}
		if _, err := out.Write(buf[:n]); err != nil {
			return factsOf(src.Info()), err
		}
		left -= n
		count.done.Add(int64(n))
	}
	return factsOf(src.Info()), nil
}

// sourceError gives an error of a source its exit code and a hint.
func sourceError(err error, info source.Info) error {
	name := cmp.Or(info.Device, info.Name)
	if errors.Is(err, context.Canceled) {
		return err
	}
	if _, ok := errors.AsType[*source.ChangedError](err); ok {
		return exitErrorf(exitIO, "another generator took the place of the one that was read; begin again", "read from %s: %w", name, err)
	}
	unavailable, ok := errors.AsType[*source.UnavailableError](err)
	refused, isRefused := errors.AsType[*hwrng.RefusedError](err)
	failed, isFailed := errors.AsType[*source.FailedError](err)
	inUse, isInUse := errors.AsType[*linux.InUseError](err)
	switch {
	case isInUse && ok:
		return exitErrorf(exitAlreadyRunning, unavailable.Hint, "%w", inUse)
	case errors.Is(err, fs.ErrPermission):
		hint := "only root may read the device: use sudo"
		if ok && unavailable.Hint != "" {
			hint = unavailable.Hint
		}
		return exitErrorf(exitPermission, hint, "%w", err)
	case isRefused:
		return &exitError{code: exitUsage, err: refused, hint: refused.Hint}
	case isFailed:
		return exitErrorf(exitUnavailable, failed.Hint, "%w", err)
	case ok && unavailable.Denied:
		return exitErrorf(exitUnavailable, unavailable.Hint, "%w", err)
	case ok:
		return exitErrorf(exitNoInput, unavailable.Hint, "%w", err)
	}
	return exitErrorf(exitIO, "", "read from %s: %w", name, err)
}
