//go:build !minimal

package main

import (
	"log/slog"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/source/command"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/tpm"
)

// fullSources are the rows of the registry that only the full build has. "auto" leaves three of them to
// whoever names them:
//
//   - cpu: the kernel mixes the CPU's instruction in by itself, and random.trust_cpu is where the owner of
//     the machine says whether that counts. Credit from here would overrule a no, and adds nothing to a yes.
//   - afalg: an engine behind the crypto API is often the one behind /dev/hwrng as well, and
//     jitterentropy_rng sees the same CPU's timing as jitter: one device would count twice.
//   - tpm: reading a firmware TPM stalls some machines, and kernels that do not read it have their reasons.
var fullSources = []sourceKind{
	{name: command.Name, make: makeCommand, auto: func(c *Config) bool { return len(c.Command) > 0 }, needs: "command", executes: true},
	{name: afalg.Name, make: makeAFALG, auto: never},
	{name: cpu.Name, make: makeCPU, auto: never},
	{name: tpm.Name, make: makeTPM, auto: never},
}

func never(*Config) bool { return false }

// absentSource tells why a source is not in this build: all are.
func absentSource(string) error { return nil }

func makeCommand(cfg *Config, before source.Source, rec sourceMetrics, log *slog.Logger) source.Source {
	opt := commandOptions(cfg)
	opt.Recorder, opt.Log = rec.Source(command.Name), log
	last, _ := before.(*command.Source)
	return command.New(opt, last)
}

func makeAFALG(cfg *Config, before source.Source, _ sourceMetrics, _ *slog.Logger) source.Source {
	last, _ := before.(*afalg.Source)
	return afalg.New(afalg.Options{Procfs: linux.Procfs(cfg.Procfs), Generator: cfg.AFALGGenerator, Claim: cfg.Entropy[afalg.Name]}, last)
}

func makeCPU(cfg *Config, _ source.Source, _ sourceMetrics, _ *slog.Logger) source.Source {
	return cpu.New(cpu.Options{Procfs: linux.Procfs(cfg.Procfs), Instruction: cfg.CPUInstruction, Claim: cfg.Entropy[cpu.Name]})
}

func makeTPM(cfg *Config, before source.Source, rec sourceMetrics, _ *slog.Logger) source.Source {
	last, _ := before.(*tpm.Source)
	return tpm.New(tpm.Options{
		Device: cfg.TPMDevice, Sysfs: linux.Sysfs(cfg.Sysfs), Claim: cfg.Entropy[tpm.Name], Recorder: rec.Source(tpm.Name),
	}, last)
}

// commandOptions is the part of the configuration that the command source takes.
func commandOptions(cfg *Config) command.Options {
	return command.Options{Argv: cfg.Command, User: cfg.CommandUser, Group: cfg.CommandGroup, Claim: cfg.Entropy[command.Name]}
}
