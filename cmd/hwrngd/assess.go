//go:build !minimal

package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// assessFlags are the options of assess alone.
func assessFlags(set *pflag.FlagSet) {
	intFlag(set, "bits", 0, 1, 8, "`1..8`: width of a sample, one sample a byte (default: the smallest that holds every sample)")
	intFlag(set, "samples", 0, 1, sp80090b.MaxSampleBits, "`N`: assess no more than the first N samples, with --replay of times (default: all)")
	intFlag(set, "restart", 0, 2, 2000, "`ROWS`: make the restart tests of section 3.1.4: the file has so many rows, each taken after a restart")
	bitsFlag(set, "claim", 8, "`BITS`: with --restart, the estimate from consecutive samples, in bits a sample")
	set.Bool("replay", false, "the file is a capture in format u64: put its times through the start-up and health tests of the jitter source")
}

// assessOptions say what to do with a file.
type assessOptions struct {
	file    string
	bits    int // 0: what the data need
	samples int // 0: all
	rows    int // above 0: restart tests
	claim   float64
	replay  bool
}

// cmdAssess estimates the min-entropy of samples, makes restart tests, or replays times.
func cmdAssess(ctx context.Context, inv *Invocation) int {
	opt, err := inv.assessOptions()
	if err != nil {
		return inv.Fail(err)
	}
	var run func(context.Context, *Invocation, *assessOptions) (int, error)
	switch {
	case opt.replay:
		run = replayTimes
	case opt.rows > 0:
		run = assessRestarts
	default:
		run = assessSamples
	}
	code, err := run(ctx, inv, opt)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = exitErrorf(exitIO, "", "interrupted before there was a result")
		}
		return inv.Fail(err)
	}
	return code
}

// assessOptions checks the command line of assess.
func (inv *Invocation) assessOptions() (*assessOptions, error) {
	if len(inv.Args) == 0 {
		return nil, exitErrorf(exitUsage, "name a file of samples, one a byte, or - for standard input", "no file to assess")
	}
	o := &assessOptions{file: inv.Args[0]}
	// The flags exist, so that these have no errors.
	o.bits, _ = inv.Flags.GetInt("bits")
	o.samples, _ = inv.Flags.GetInt("samples")
	o.rows, _ = inv.Flags.GetInt("restart")
	o.claim, _ = inv.Flags.GetFloat64("claim")
	o.replay, _ = inv.Flags.GetBool("replay")
	const assessFirst = "assess consecutive samples first, and give the result as --claim"
	switch {
	case o.replay && o.rows > 0:
		return nil, exitErrorf(exitUsage, "", "--replay and --restart exclude each other")
	case o.replay && (o.bits > 0 || o.claim > 0):
		return nil, exitErrorf(exitUsage, "the width is that of the health tests, the claim that of the source", "--bits and --claim are not for --replay")
	case o.rows > 0 && o.claim == 0:
		return nil, exitErrorf(exitUsage, assessFirst, "--restart needs --claim")
	case o.rows > 0 && o.samples > 0:
		return nil, exitErrorf(exitUsage, "", "--restart takes the whole file, without --samples")
	case o.claim > 0 && o.rows == 0:
		return nil, exitErrorf(exitUsage, "an estimate does not depend on a claim", "--claim is for --restart")
	case o.bits > 0 && o.claim > float64(o.bits):
		return nil, exitErrorf(exitUsage, "", "--claim: %g bits are more than a sample of %d has", o.claim, o.bits)
	}
	return o, nil
}

// assessReport is what hwrngd assess --output=json prints. The figures themselves, among them
// assessed_min_entropy, are members beside these.
type assessReport struct {
	Schema int    `json:"schema_version"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"` // of the samples assessed
	Source string `json:"source,omitempty"`
	*sp80090b.Assessment
	LimitedBy audit.Limit `json:"limited_by"`
	Suggested *suggestion `json:"suggested_entropy,omitempty"`
}

// suggestion is a value for the option entropy.
type suggestion struct {
	Source string  `json:"source"`
	Bits   float64 `json:"bits"`
}

// assessSamples makes the estimate of section 3.1.3.
func assessSamples(ctx context.Context, inv *Invocation, opt *assessOptions) (int, error) {
	in, err := readSamples(ctx, inv, opt)
	if err != nil {
		return 0, err
	}
	count := newTally("estimates", 0)
	stop := inv.watch(count.String)
	a, err := sp80090b.Assess(ctx, in.samples, in.bits, sp80090b.AssessOptions{Progress: count.set})
	stop()
	if err != nil {
		return 0, exitErrorAs(err)
	}
	report := &assessReport{
		Schema: 1, File: opt.file, SHA256: in.sha256(), Source: in.source, Assessment: a,
		LimitedBy: audit.LimitOf(a), Suggested: suggest(in.source, a.AssessedMinEntropy),
	}
	if inv.JSON {
		return exitOK, inv.WriteJSON(report)
	}
	r := inv.NewReport()
	report.show(r, in)
	return exitOK, inv.WriteReport(r)
}

// exitErrorAs gives an error of the estimators its exit code. Only what the options got wrong is left
// to find for them.
func exitErrorAs(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return exitErrorf(exitUsage, "", "%w", err)
}

// suggest returns the claim that an estimate supports: half of it, as no estimate of a finite sample is
// better than that, and two digits. Bytes of a hwrng device are samples, so that bits a sample are
// bits a byte; claims of jitter are of samples anyway, and have a ceiling.
func suggest(name string, assessed float64) *suggestion {
	s := &suggestion{Source: name, Bits: assessed / 2}
	switch name {
	case jitter.Name:
		s.Bits = min(s.Bits, jitter.MaxClaim)
	case "":
		s.Source = hwrng.Name
	}
	if s.Bits = math.Floor(s.Bits*100) / 100; s.Bits == 0 {
		return nil
	}
	return s
}

func (s *suggestion) String() string {
	return fmt.Sprintf("entropy = { %s = %g }", s.Source, s.Bits)
}
