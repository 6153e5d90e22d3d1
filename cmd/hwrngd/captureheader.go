package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/jitter"
)

// captureNote stands in every header.
const captureNote = "raw samples for an assessment: whoever has this file knows them, so they must never be credited to a kernel or become a key"

// captureHeader says where samples come from: the document beside a sample file, or at its top in
// format json. Names stay; new ones may be added.
type captureHeader struct {
	Schema      int     `json:"schema_version"`
	Note        string  `json:"note"`
	Version     string  `json:"hwrngd_version"`
	CommandLine string  `json:"command_line"`
	Time        string  `json:"time"`
	Seconds     float64 `json:"seconds"`

	Source     string `json:"source"`
	Format     string `json:"format"`
	SymbolBits int    `json:"symbol_bits"`
	Rows       int    `json:"rows"`            // 1 without restarts
	Columns    int    `json:"samples_per_row"` // in format u64 a row is one time more
	SHA256     string `json:"sha256"`          // of the sample file; in format json, of the samples as bytes

	Kernel    string    `json:"kernel,omitempty"`
	CPU       string    `json:"cpu_model,omitempty"`
	Arch      string    `json:"goarch"`
	LoadStart []float64 `json:"load_average_start,omitempty"`
	LoadEnd   []float64 `json:"load_average_end,omitempty"`

	Jitter *jitter.Facts `json:"jitter,omitempty"`
	HWRNG  *sourceFacts  `json:"hwrng,omitempty"`
	Facts  *sourceFacts  `json:"source_facts,omitempty"` // of any other source

	begin time.Time
}

// newCaptureHeader notes what is known before the first sample.
func newCaptureHeader(inv *Invocation, cfg *Config, opt *captureOptions) *captureHeader {
	h := &captureHeader{
		Schema: 1, Note: captureNote, Version: buildVersion().Version, CommandLine: inv.commandLine(),
		Source: opt.source, Format: opt.format, SymbolBits: 8, Rows: max(opt.rows, 1), Columns: opt.samples,
		CPU: cpuModel(cfg.Procfs), Arch: runtime.GOARCH, LoadStart: loadAverage(cfg.Procfs), begin: time.Now(),
	}
	h.Time = timestamp(h.begin)
	h.Kernel, _ = linux.Procfs(cfg.Procfs).KernelRelease()
	return h
}

// finish notes what is known after the last sample.
func (h *captureHeader) finish(cfg *Config) {
	h.Seconds = time.Since(h.begin).Seconds()
	h.LoadEnd = loadAverage(cfg.Procfs)
}

// loadAverage returns the load over 1, 5 and 15 minutes, nil if the system does not say. Other work on
// the machine is what a noise source of timing depends on most.
func loadAverage(procfs string) []float64 {
	text, err := os.ReadFile(filepath.Join(procfs, "loadavg"))
	if err != nil {
		return nil
	}
	var load []float64
	for _, word := range strings.Fields(string(text)) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || len(load) == 3 {
			break
		}
		load = append(load, x)
	}
	return load
}

// cpuModel returns the processor's name, "" if the system does not say. What the line is called
// depends on the architecture; where there is none of a processor, that of the board will do.
func cpuModel(procfs string) string {
	text, err := os.ReadFile(filepath.Join(procfs, "cpuinfo"))
	if err != nil {
		return ""
	}
	for _, name := range []string{"model name", "cpu model", "cpu", "uarch", "Model Name", "Hardware", "Model", "system type", "CPU part"} {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}
