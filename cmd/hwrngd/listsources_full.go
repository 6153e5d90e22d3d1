//go:build !minimal

package main

import (
	"context"
	"slices"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/source/command"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/tpm"
)

// surveyFull describes the sources that only the full build has.
func surveyFull(ctx context.Context, cfg *Config, limit time.Duration) []listSource {
	return slices.Concat(
		[]listSource{surveyCommand(cfg)},
		surveyAFALG(ctx, cfg, limit),
		surveyCPU(ctx, cfg, limit),
		[]listSource{surveyTPM(ctx, cfg, limit)},
	)
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

// surveyTPM describes the TPM that would be asked.
func surveyTPM(ctx context.Context, cfg *Config, limit time.Duration) listSource {
	src := openSource(cfg, tpm.Name)
	defer src.Close()
	return rowOf(src.Info(), probe(ctx, src, limit))
}
