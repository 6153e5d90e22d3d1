package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/sp80090b"
)

const (
	// maxCapture bounds the samples of one capture: times of a row stay in memory, 8 bytes each.
	maxCapture = 100_000_000
	// maxTouches is far beyond what any setting of the noise loop uses.
	maxTouches = 1 << 20
)

// The formats of a capture.
const (
	formatBin  = "bin"  // one byte a sample, as the health tests see it
	formatU64  = "u64"  // times in nanoseconds, little-endian, one more than samples
	formatJSON = "json" // one document
)

var captureFormats = []string{formatBin, formatU64, formatJSON}

// captureFlags are the options of capture alone.
func captureFlags(set *pflag.FlagSet) {
	set.String("out", "", "`FILE`: write here, and the header to FILE.json; both must not exist yet (default: standard output, without a header)")
	set.String("format", formatBin, "`bin|u64|json`: bin, one byte a sample as the health tests see it; u64, of jitter, absolute "+
		"times in nanoseconds as little-endian 64-bit numbers, one more than samples; json, one document with header and samples (default bin)")
	intFlag(set, "samples", 0, 1, maxCapture, fmt.Sprintf("`N`: samples, with --restart of each row (default %d, of each row %d)",
		sp80090b.EnoughSamples, sp80090b.RestartColumns))
	intFlag(set, "restart", 0, 1, maxCapture, "`R`: jitter only: R rows, the noise loop begins anew for each (a full test takes 1000)")
	powerFlag(set, "memory", 64, 1<<30, "`SIZE`: jitter only: memory of the noise loop, a power of two, such as 16M (default: what the source tries first)")
	intFlag(set, "touches", 0, 1, maxTouches, "`N`: jitter only: memory accesses for each sample (default: what the source tries first)")
}

// captureOptions say what to capture.
type captureOptions struct {
	source, format string
	out            string // "" for standard output
	samples        int    // of each row
	rows           int    // 0 without --restart
	memory         int    // 0: the source's own choice
	touches        int    // likewise
}

// total returns the number of samples in all rows.
func (o *captureOptions) total() int { return o.samples * max(o.rows, 1) }

// cmdCapture writes raw samples of a source. Nothing that it reads is credited.
func cmdCapture(ctx context.Context, inv *Invocation) int {
	opt, err := inv.captureOptions()
	if err != nil {
		return inv.Fail(err)
	}
	cfg, err := inv.LoadConfig()
	if err != nil {
		return inv.Fail(err)
	}
	if err := vetConfigured(cfg, opt.source); err != nil {
		return inv.Fail(err)
	}
	out, err := newCaptureOutput(inv, opt)
	if err != nil {
		return inv.Fail(err)
	}
	header := newCaptureHeader(inv, cfg, opt)
	count := newTally("samples", opt.total())
	stop := inv.watch(count.String)
	switch opt.source {
	case jitter.Name:
		header.Jitter, err = captureJitter(ctx, cfg, opt, out, count)
	case hwrng.Name:
		header.HWRNG, err = captureSource(ctx, cfg, opt, out, count)
	default:
		header.Facts, err = captureSource(ctx, cfg, opt, out, count)
	}
	header.finish(cfg)
	stop()
	if err == nil {
		err = out.finish(header)
	}
	if err != nil {
		return inv.Fail(out.failure(err, count))
	}
	if opt.out != "" {
		inv.tell(escapeControls(fmt.Sprintf("%d samples in %s", opt.total(), out.names())) + "\n")
	}
	return exitOK
}

// captureOptions checks the command line of capture.
func (inv *Invocation) captureOptions() (*captureOptions, error) {
	o := &captureOptions{}
	known := "sources: " + strings.Join(sourceNames(), ", ")
	if len(inv.Args) == 0 {
		return nil, exitErrorf(exitUsage, known, "no source to capture")
	}
	if o.source = inv.Args[0]; !slices.Contains(sourceNames(), o.source) {
		return nil, unknownSource(o.source, sourceNames())
	}
	// The flags exist, so that these have no errors.
	o.format, _ = inv.Flags.GetString("format")
	o.out, _ = inv.Flags.GetString("out")
	o.samples, _ = inv.Flags.GetInt("samples")
	o.rows, _ = inv.Flags.GetInt("restart")
	o.memory, _ = inv.Flags.GetInt("memory")
	o.touches, _ = inv.Flags.GetInt("touches")
	if !slices.Contains(captureFormats, o.format) {
		return nil, exitErrorf(exitUsage, "formats: "+strings.Join(captureFormats, ", "), "--format: unknown format %q%s", o.format, didYouMean(o.format, captureFormats))
	}
	if o.samples == 0 {
		o.samples = sp80090b.EnoughSamples
		if o.rows > 0 {
			o.samples = sp80090b.RestartColumns
		}
	}
	if o.samples > maxCapture/max(o.rows, 1) {
		return nil, exitErrorf(exitUsage, "", "--restart: %d rows of %d samples are more than %d samples", o.rows, o.samples, maxCapture)
	}
	if o.source == jitter.Name {
		return o, nil
	}
	for _, name := range []string{"restart", "memory", "touches"} {
		if inv.Flags.Changed(name) {
			return nil, exitErrorf(exitUsage, "it is for jitter only", "--%s: not possible with source %s", name, o.source)
		}
	}
	if o.format == formatU64 {
		return nil, exitErrorf(exitUsage, "use bin or json", "--format: u64 is for times, and source %s has none", o.source)
	}
	return o, nil
}

// commandLine is the call as it was written, the source first. The flags of the daemon
// keep their text elsewhere.
func (inv *Invocation) commandLine() string {
	words := append([]string{"hwrngd", inv.Command.Name}, inv.Args...)
	inv.Flags.Visit(func(f *pflag.Flag) {
		text := f.Value.String()
		if given, ok := inv.Input.Flags[f.Name]; ok {
			text = strings.Join(given, ",")
		}
		words = append(words, "--"+f.Name+"="+text)
	})
	return strings.Join(words, " ")
}

// timestamp is a moment as documents have it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
