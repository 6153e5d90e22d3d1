package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/source/command"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/tpm"
	"github.com/hwrngd/hwrngd/source/tty"
)

// surveySingle describes the sources other than hwrng and jitter, in the order of the registry. With a
// limit above 0 it reads a little of each to see whether it answers, for at most so long; programs are
// not started.
func surveySingle(ctx context.Context, cfg *Config, limit time.Duration) []listSource {
	list := []listSource{surveyTTY(ctx, cfg, limit), surveyCommand(cfg)}
	list = append(list, surveyAFALG(ctx, cfg, limit)...)
	list = append(list, surveyCPU(ctx, cfg, limit)...)
	return append(list, surveyTPM(ctx, cfg, limit))
}

// surveyTPM describes the TPM that would be asked.
func surveyTPM(ctx context.Context, cfg *Config, limit time.Duration) listSource {
	src := openSource(cfg, tpm.Name)
	defer src.Close()
	return rowOf(src.Info(), probe(ctx, src, limit))
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

// surveyCommand describes the configured program.
func surveyCommand(cfg *Config) listSource {
	src := openSource(cfg, command.Name)
	defer src.Close()
	if err := vetConfigured(cfg, command.Name); err != nil {
		return rowOf(src.Info(), err)
	}
	row := rowOf(src.Info(), commandOptions(cfg).Check())
	if row.Usable {
		row.Note += "; not started for this list, 'hwrngd bench command' does"
	}
	return row
}

// surveyAFALG describes the generators of the crypto API that can be a source, the one that would be read
// first, or says why there is none.
func surveyAFALG(ctx context.Context, cfg *Config, limit time.Duration) []listSource {
	src := openSource(cfg, afalg.Name)
	defer src.Close()
	err := src.Watch() // chooses one
	if err == nil {
		err = afalg.Supported()
	}
	if err == nil {
		err = probe(ctx, src, limit)
	}
	rows := []listSource{rowOf(src.Info(), err)}
	others, _ := afalg.Probe(linux.Procfs(cfg.Procfs)) // an error has been seen
	for _, g := range others {
		if g.Driver == src.Info().Driver || g.Refused != "" || g.NotAuto != "" {
			continue
		}
		rows = append(rows, listSource{
			Source: afalg.Name, Driver: g.Driver, Kind: string(source.KindAFALG), Note: g.Note,
			Reason: "not chosen: one generator is read, now " + src.Info().Driver, Hint: "choose it by afalg-generator",
			MinEntropy: g.MinEntropy, ClaimOrigin: "default",
		})
	}
	return rows
}

// surveyCPU describes the instructions of this architecture, or says that it has none.
func surveyCPU(ctx context.Context, cfg *Config, limit time.Duration) []listSource {
	src := openSource(cfg, cpu.Name)
	defer src.Close()
	chosen := rowOf(src.Info(), probe(ctx, src, limit))
	if info := src.Info(); info.Driver != chosen.Driver { // the first one gave nothing
		chosen = rowOf(info, nil)
	}
	rows := []listSource{chosen}
	for _, i := range cpu.Probe(linux.Procfs(cfg.Procfs)) {
		if i.Name == chosen.Driver {
			continue
		}
		row := listSource{
			Source: cpu.Name, Driver: i.Name, Kind: string(source.KindCPU), Note: i.Note,
			Reason: "not chosen: one instruction is executed, now " + chosen.Driver, Hint: "choose it by cpu-instruction",
			MinEntropy: i.MinEntropy, ClaimOrigin: "default",
		}
		if i.Missing != "" {
			row.Reason, row.Hint = i.Missing, ""
		}
		if chosen.Driver != "" || i.Missing == "" {
			rows = append(rows, row)
		}
	}
	return rows
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
