package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/jitter"
)

// jitterProbeTime is how long list lets the jitter source work. It is enough for the whole start-up
// test on a fast machine, and for a look at the clock on any. Tests have more patience.
var jitterProbeTime = 300 * time.Millisecond

// surveyJitter describes the jitter source and, with probe, lets it test itself.
func surveyJitter(ctx context.Context, cfg *Config, probe bool) listSource {
	src := jitter.New(jitter.Options{
		Sysfs: linux.Sysfs(cfg.Sysfs), Procfs: linux.Procfs(cfg.Procfs), Claim: cfg.Entropy[jitter.Name], Clock: noiseClock(),
	})
	defer src.Close()
	var err error
	if probe {
		ctx, cancel := context.WithTimeout(ctx, jitterProbeTime)
		defer cancel()
		_, err = src.Read(ctx, make([]byte, 1))
	}
	info := src.Info() // after the test, which may lower the claim
	row := listSource{
		Source: jitter.Name, Kind: string(info.Kind), Current: true, Usable: true, Note: info.Note,
		MinEntropy: info.MinEntropy, ClaimOrigin: info.ClaimOrigin,
	}
	switch {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded):
		row.Note += fmt.Sprintf("; its start-up test takes more than %s here, 'hwrngd bench jitter' waits for it", jitterProbeTime)
	default:
		row.Usable, row.Reason = false, err.Error()
		if unavailable, ok := errors.AsType[*source.UnavailableError](err); ok {
			row.Hint = unavailable.Hint
		}
		if failed, ok := errors.AsType[*source.FailedError](err); ok {
			row.Hint = failed.Hint
		}
	}
	return row
}
