package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/jitter"
)

// urandomName is the kernel's generator, which other sources are compared with. It is no source.
const urandomName = "urandom"

// benchSources are the names that bench takes.
func benchSources() []string { return append(sourceNames(), urandomName) }

// defaultBench are the sources that bench measures unless told: all but those that only the
// configuration could say how to read.
func defaultBench(cfg *Config) []string {
	return slices.DeleteFunc(benchSources(), func(name string) bool { return vetConfigured(cfg, name) != nil })
}

// benchFlags are the options of bench alone.
func benchFlags(set *pflag.FlagSet) {
	durationFlag(set, "duration", 2*time.Second, 10*time.Millisecond, time.Hour, "`TIME`: how long to read each source (default 2s)")
}

// benchReport is what hwrngd bench --output=json prints.
type benchReport struct {
	Schema   int           `json:"schema_version"`
	Duration float64       `json:"duration_seconds"`
	Kernel   string        `json:"kernel,omitempty"`
	CPU      string        `json:"cpu_model,omitempty"`
	Load     []float64     `json:"load_average,omitempty"`
	Sources  []benchResult `json:"sources"`
}

// benchResult is one source. Of one that cannot be used there is only the reason.
type benchResult struct {
	Source string `json:"source"`
	Usable bool   `json:"usable"`
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`

	Bytes      int64   `json:"bytes"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"` // of this process, the kernel's work for it included
	Rate       float64 `json:"bytes_per_second"`
	CPUPerMB   float64 `json:"cpu_seconds_per_megabyte,omitempty"`

	MinEntropy  float64 `json:"claimed_min_entropy_bits_per_byte,omitempty"`
	ClaimOrigin string  `json:"claim_origin,omitempty"`
	Generator   string  `json:"generator,omitempty"`
	Note        string  `json:"note,omitempty"`

	Jitter *benchJitter `json:"jitter,omitempty"`
}

// benchJitter is what only jitter has: the work behind its bytes.
type benchJitter struct {
	Startup             float64        `json:"startup_seconds"` // until the first byte
	SamplesPerCPUSecond float64        `json:"samples_per_cpu_second"`
	BytesPerCPUSecond   float64        `json:"full_entropy_bytes_per_cpu_second"`
	Estimate            float64        `json:"estimated_min_entropy_bits_per_sample"`
	Method              string         `json:"estimated_by"`
	Claim               float64        `json:"claimed_min_entropy_bits_per_sample"`
	Setting             jitter.Profile `json:"setting"`
}

// cmdBench measures sources one after the other. What it reads is thrown away.
func cmdBench(ctx context.Context, inv *Invocation) int {
	names := inv.Args
	for _, name := range names {
		if known := benchSources(); !slices.Contains(known, name) {
			return inv.Fail(unknownSource(name, known))
		}
	}
	cfg, err := inv.LoadConfig()
	if err != nil {
		return inv.Fail(err)
	}
	for _, name := range names {
		if err := vetConfigured(cfg, name); err != nil {
			return inv.Fail(err)
		}
	}
	if len(names) == 0 {
		names = defaultBench(cfg)
	}
	duration, _ := inv.Flags.GetDuration("duration")
	report := benchReport{Schema: 1, Duration: duration.Seconds(), CPU: cpuModel(cfg.Procfs), Load: loadAverage(cfg.Procfs)}
	report.Kernel, _ = linux.Procfs(cfg.Procfs).KernelRelease()
	begin := time.Now()
	stop := inv.watch(func() string {
		left := time.Duration(len(names))*duration - time.Since(begin)
		return fmt.Sprintf("measuring %s, %s left", strings.Join(names, ", "), max(left, 0).Round(time.Second))
	})
	for _, name := range names {
		report.Sources = append(report.Sources, measure(ctx, cfg, name, duration))
	}
	stop()
	if ctx.Err() != nil {
		return inv.Fail(exitErrorf(exitIO, "", "interrupted before there was a result"))
	}
	if inv.JSON {
		err = inv.WriteJSON(report)
	} else {
		r := inv.NewReport()
		report.show(r)
		err = inv.WriteReport(r)
	}
	if err != nil {
		return inv.Fail(err)
	}
	if len(inv.Args) > 0 && slices.ContainsFunc(report.Sources, func(b benchResult) bool { return !b.Usable }) {
		return exitUnavailable // it was asked for by name
	}
	return exitOK
}

// show prints the report for people.
func (b *benchReport) show(r *Report) {
	r.Row(dim("SOURCE"), dim("RATE"), dim("CPU TIME"), dim("MIN-ENTROPY"), dim("NOTE"))
	for i := range b.Sources {
		b.Sources[i].row(r)
	}
	for _, s := range b.Sources {
		if j := s.Jitter; j != nil {
			r.Section(s.Source)
			r.Row(plain("  samples"), plain(fmt.Sprintf("%.0f a CPU second", j.SamplesPerCPUSecond)))
			r.Row(plain("  full-entropy bytes"), plain(fmt.Sprintf("%.0f a CPU second", j.BytesPerCPUSecond)))
			r.Row(plain("  estimate"), plain(fmt.Sprintf("%.2f bits a sample (%s)", j.Estimate, j.Method)))
			r.Row(plain("  claim"), plain(fmt.Sprintf("%.3g bits a sample", j.Claim)))
			r.Row(plain("  noise loop"), plain(j.Setting.String()))
			r.Row(plain("  first byte after"), plain(time.Duration(j.Startup*float64(time.Second)).Round(time.Millisecond).String()))
		}
		if s.Hint != "" {
			r.Section(s.Source)
			r.Row(plain("  hint"), plain(s.Hint))
		}
	}
}

// row prints the line of one source.
func (s *benchResult) row(r *Report) {
	if !s.Usable {
		r.Row(plain(s.Source), bad("not usable"), plain(""), plain(""), plain(s.Reason))
		return
	}
	claim := "-"
	if s.MinEntropy > 0 {
		claim = fmt.Sprintf("%.3g of 8 bits a byte", s.MinEntropy)
	}
	note := s.Note
	if s.Generator != "" {
		note = strings.TrimSuffix(s.Generator+", "+note, ", ")
	}
	r.Row(plain(s.Source), plain(rateText(s.Rate)), plain(fmt.Sprintf("%.3g s/MB", s.CPUPerMB)), plain(claim), plain(note))
}

// rateText is a rate in kB/s, with three digits that mean something.
func rateText(rate float64) string {
	if kB := rate / 1000; kB < 100 {
		return fmt.Sprintf("%.3g kB/s", kB)
	}
	return fmt.Sprintf("%.0f kB/s", rate/1000)
}
