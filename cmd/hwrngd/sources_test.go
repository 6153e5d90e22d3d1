package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

func TestSourceNames(t *testing.T) {
	if got := strings.Join(sourceNames(), ", "); got != sourceList {
		t.Errorf("got %s, want %s", got, sourceList)
	}
}

func TestWantedSources(t *testing.T) {
	for _, tt := range slices.Concat([]wantedCase{
		{[]string{"auto"}, Config{}, []string{"hwrng", "jitter"}},
		{[]string{"auto"}, Config{TTYDevice: "/dev/ttyACM0"}, []string{"hwrng", "tty", "jitter"}},
		{[]string{"hwrng"}, Config{TTYDevice: "/dev/ttyACM0"}, []string{"hwrng"}},
		// The configuration refuses these; should it ever not, nothing is read twice.
		{[]string{"hwrng", "hwrng"}, Config{}, []string{"hwrng"}},
		{[]string{"jitter", "auto"}, Config{}, []string{"jitter", "hwrng"}},
		{nil, Config{}, nil},
	}, wantedFull) {
		tt.cfg.Sources = tt.configured
		if got := wantedSources(&tt.cfg); !slices.Equal(got, tt.want) {
			t.Errorf("%q gives %q, want %q", tt.configured, got, tt.want)
		}
	}
}

// wantedCase is a configuration and the sources that it stands for.
type wantedCase struct {
	configured []string
	cfg        Config
	want       []string
}

// TestMakeSource: a source takes its options from the configuration and tells the metrics of the
// generators that it sees.
func TestMakeSource(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("tpm-rng-0", "tpm-rng-0 virtio_rng.0"))
	plant(t, dir, map[string]string{classDir + "rng_quality": "512\n"})
	fifo(t, filepath.Join(dir, "hwrng"))
	cfg := mustLoad(t, input(os.DevNull, nil, map[string][]string{
		"sysfs": {filepath.Join(dir, "sys")}, "hwrng-device": {filepath.Join(dir, "hwrng")},
		"hwrng-select": {"virtio_rng.0"}, "hwrng-turn": {"90s"}, "hwrng-deny": {"a.rng", "tpm-rng-0"}, "entropy": {"hwrng=2.5"},
	}))
	opt := hwrngOptions(cfg)
	want := fmt.Sprintf("%+v", hwrng.Options{
		Device: cfg.HWRNGDevice, Sysfs: opt.Sysfs, Select: "virtio_rng.0", Turn: 90 * time.Second, Deny: []string{"a.rng", "tpm-rng-0"}, Entropy: 2.5,
	})
	if got := fmt.Sprintf("%+v", opt); got != want || string(opt.Sysfs) != cfg.Sysfs {
		t.Errorf("got %s\nwant %s", got, want)
	}

	rec := &metricstest.Recorder{}
	src := makeHWRNG(cfg, nil, rec, slog.New(slog.DiscardHandler))
	defer src.Close()
	if err := src.Watch(); err != nil {
		t.Fatal(err)
	}
	info := src.Info()
	if info.Name != "hwrng" || info.Driver != "virtio_rng.0" || info.MinEntropy != 2.5 || info.ClaimOrigin != "configured" {
		t.Errorf("got %+v", info)
	}
	if n := rec.Count("HWRNG {virtio_rng.0 [tpm-rng-0 virtio_rng.0] 0.5 true}"); n != 1 {
		t.Errorf("recorded %q", rec.Calls())
	}
}

// TestVetDevice: what can never be a source is refused before anything starts; what is not there
// yet may come.
func TestVetDevice(t *testing.T) {
	dir := t.TempDir()
	link, file, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := os.Symlink("/dev/urandom", link); err != nil {
		t.Fatal(err)
	}
	plant(t, dir, map[string]string{"file": "data"})
	fifo(t, pipe)
	for _, tt := range []struct {
		name, device string
		allow        bool
		want         string // of the error, "" if none
	}{
		{"missing", filepath.Join(dir, "missing"), false, ""},
		{"FIFO", pipe, false, ""},
		{"terminal and the like", "/dev/null", false, ""},
		{"urandom", "/dev/urandom", false, "the kernel's own /dev/urandom"},
		{"random", "/dev/random", true, "the kernel's own /dev/random"},
		{"link to urandom", link, true, "the kernel's own /dev/urandom"},
		{"file", file, false, "it is a regular file"},
		{"file, in a test", file, true, ""},
		{"directory", dir, true, "it is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := vetDevice(&Config{HWRNGDevice: tt.device, AllowFileSource: tt.allow})
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || exitCode(err) != exitUsage {
				t.Fatalf("got %v", err)
			}
			if exit := err.(*exitError); exit.hint == "" {
				t.Error("no hint")
			}
		})
	}
}
