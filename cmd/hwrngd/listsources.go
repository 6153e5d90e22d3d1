package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/tty"
)

// surveySingle describes the sources other than hwrng and jitter, in the order of the registry. With a
// limit above 0 it reads a little of each to see whether it answers, for at most so long; programs are
// not started.
func surveySingle(ctx context.Context, cfg *Config, limit time.Duration) []listSource {
	return append([]listSource{surveyTTY(ctx, cfg, limit)}, surveyFull(ctx, cfg, limit)...)
}

// surveyTTY describes the configured line.
func surveyTTY(ctx context.Context, cfg *Config, limit time.Duration) listSource {
	src := openSource(cfg, tty.Name)
	defer src.Close()
	if err := vetConfigured(cfg, tty.Name); err != nil {
		return rowOf(src.Info(), err)
	}
	err := probe(ctx, src, limit)
	row := rowOf(src.Info(), err)
	if _, inUse := errors.AsType[*linux.InUseError](err); !inUse {
		return row
	}
	// A line has one reader; if that is the daemon, all is well.
	daemon, _ := askStatus(cfg.RuntimeDir)
	if daemon == nil {
		return row
	}
	for _, s := range daemon.Sources {
		if s.Name == tty.Name && s.Device == cfg.TTYDevice {
			row.Usable, row.Hint = s.State == source.Active.String(), "'hwrngd status' says how it does"
			row.Reason = "the running daemon has it: " + s.State
		}
	}
	return row
}

// probe looks at a source and, with a limit above 0, reads a few bytes of it.
func probe(ctx context.Context, src source.Source, limit time.Duration) error {
	if limit <= 0 {
		return src.Watch()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := readSettled(ctx, src, make([]byte, probeBytes))
	if errors.Is(err, context.DeadlineExceeded) {
		return &source.UnavailableError{
			Reason: fmt.Sprintf("no data within %s", limit), Hint: "it is slow, idle or hung; the daemon keeps waiting for such a source",
		}
	}
	return err
}

// probeBytes are read to see whether a source answers.
const probeBytes = 64

// rowOf describes a source of which a look gave err.
func rowOf(info source.Info, err error) listSource {
	row := listSource{
		Source: info.Name, Device: info.Device, Driver: info.Driver, Kind: string(info.Kind), Current: true, Usable: err == nil,
		Note: info.Note, MinEntropy: info.MinEntropy, ClaimOrigin: info.ClaimOrigin,
	}
	if err != nil {
		row.Reason = err.Error()
	}
	if unavailable, ok := errors.AsType[*source.UnavailableError](err); ok {
		row.Hint = unavailable.Hint
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		row.Hint = exit.hint
	}
	if failed, ok := errors.AsType[*source.FailedError](err); ok {
		row.Hint = failed.Hint
	}
	return row
}
