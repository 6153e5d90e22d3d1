package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// goodLine makes a terminal line with a good generator behind it, and returns its path.
func goodLine(t *testing.T) string {
	t.Helper()
	p := kit.NewPTY(t)
	go func() { _, _ = io.Copy(p.Master, sourcetest.Good("tty")) }() // ends when the test closes it
	return p.Line
}

// readBySource captures and measures a source by its name.
func readBySource(t *testing.T, source string, args []string, claim float64) {
	t.Helper()
	of := func(command string, more ...string) result {
		return call(nil, slices.Concat([]string{command, source, "--config=/dev/null"}, args, more)...)
	}
	captured := of("capture", "--samples=3000", "--format=json")
	var h captureHeader
	if err := json.Unmarshal([]byte(captured.stdout), &h); err != nil || captured.code != exitOK {
		t.Fatalf("%v, %+v", err, captured)
	}
	if h.Source != source || h.Columns != 3000 || h.HWRNG != nil || h.Facts == nil || h.Facts.MinEntropy != claim {
		t.Errorf("%+v %+v", h, h.Facts)
	}
	measured := of("bench", "--duration=20ms", "--output=json")
	var b benchReport
	if err := json.Unmarshal([]byte(measured.stdout), &b); err != nil || measured.code != exitOK {
		t.Fatalf("%v, %+v", err, measured)
	}
	if s := b.Sources[0]; len(b.Sources) != 1 || s.Source != source || !s.Usable || s.Rate <= 0 || s.MinEntropy != claim {
		t.Errorf("%+v", b.Sources)
	}
}

func TestReadLine(t *testing.T) { readBySource(t, "tty", []string{"--tty-device=" + goodLine(t)}, 4) }

// TestVetLine: what can never be a line, or is the device of hwrng as well, is refused before anything starts.
func TestVetLine(t *testing.T) {
	dir, line := t.TempDir(), goodLine(t)
	plant(t, dir, map[string]string{"file": "data"})
	if err := os.Symlink(line, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"off", Config{}, ""},
		{"missing", Config{TTYDevice: "/dev/none", HWRNGDevice: "/dev/hwrng"}, ""},
		{"line", Config{TTYDevice: line, HWRNGDevice: "/dev/hwrng"}, ""},
		{"file", Config{TTYDevice: dir + "/file"}, "is no terminal line but a regular file"},
		{"same", Config{TTYDevice: line, HWRNGDevice: dir + "/link"}, "are the same device"},
		{"same, missing", Config{TTYDevice: "/dev/none", HWRNGDevice: "/dev//none"}, "are the same device"},
		{"same, but hwrng is not wanted", Config{TTYDevice: line, HWRNGDevice: line, Sources: []string{"tty"}}, ""},
	} {
		if tt.cfg.Sources == nil {
			tt.cfg.Sources = []string{"auto"}
		}
		err := vetLine(&tt.cfg)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || exitCode(err) != exitUsage) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// unconfiguredCase is a configuration and what is said to it.
type unconfiguredCase struct {
	name  string
	flags map[string][]string
	want  string // an error
	warns string
}

func checkUnconfigured(t *testing.T, cases []unconfiguredCase) {
	t.Helper()
	for _, tt := range cases {
		cfg, err := LoadConfig(input(os.DevNull, nil, tt.flags))
		switch {
		case tt.want != "":
			if err == nil || !strings.Contains(err.Error(), tt.want) || exitCode(err) != exitUsage {
				t.Errorf("%s: %v", tt.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case strings.Join(cfg.Warnings, "\n") != tt.warns:
			t.Errorf("%s: %q", tt.name, cfg.Warnings)
		}
	}
}

// TestUnconfigured: a source that is named needs its option; an option needs its source.
func TestUnconfigured(t *testing.T) {
	checkUnconfigured(t, []unconfiguredCase{
		{"tty", map[string][]string{"sources": {"tty"}}, "sources (--sources) names tty, but tty-device does not say what to read", ""},
		{"auto", map[string][]string{"tty-device": {"/dev/ttyACM0"}}, "", ""},
		{"named", map[string][]string{"sources": {"tty"}, "tty-device": {"/dev/ttyACM0"}}, "", ""},
		{"unused", map[string][]string{"sources": {"hwrng"}, "tty-device": {"/dev/ttyACM0"}}, "", "tty-device (--tty-device) has no effect: source tty is not among the sources (--sources: hwrng)"},
		{"of no use without another", map[string][]string{"tty-speed": {"9600"}}, "", "tty-speed (--tty-speed) has no effect: source tty is not among the sources (default: auto)"},
		{"default", map[string][]string{"cpu-instruction": {"auto"}, "tty-device": {"off"}}, "", ""},
		{"rate", map[string][]string{"failure-rate": {"hwrng=0.1", "jitter=0.1"}}, "", "failure-rate (--failure-rate) of source jitter has no effect: only hwrng takes one"},
	})
}

// TestCheckLine: the machine check looks at a line that is wanted.
func TestCheckLine(t *testing.T) {
	dir, cfg := bench(t, map[string]string{"file": ""}, "sources=tty", "tty-device=/dev/none")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitOK, [3]string{"warning", "/dev/none: no such file", "not plugged in"})
	_, cfg = bench(t, nil, "sources=tty", "tty-device="+dir+"/file")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitUsage, [3]string{"error", "is no terminal line but a regular file", "serial/by-id"})
	_, cfg = bench(t, nil, "sources=jitter")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitOK)
}
