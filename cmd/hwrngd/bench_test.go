package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// benchOf runs hwrngd bench for a moment on a machine of files.
func benchOf(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return inDir(t, dir, func() result {
		return call(nil, append([]string{"bench", "--duration=50ms", "--config=/dev/null", "--sysfs=sys", "--procfs=proc", "--hwrng-device=hwrng"}, args...)...)
	})
}

func TestBench(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, merge(generators("virtio_rng.0", "virtio_rng.0"), map[string]string{"proc/loadavg": "0.5 0.4 0.3 1/2 3\n"}))
	goodFIFO(t, dir+"/hwrng")
	got := benchOf(t, dir)
	if got.code != exitOK || got.stderr != "" {
		t.Errorf("code %d, %s", got.code, got.stderr)
	}
	for _, want := range []string{
		"SOURCE   RATE", "CPU TIME", "\nhwrng    ", "4 of 8 bits a byte", "virtio_rng.0, ", "\njitter   ", "8 of 8 bits a byte", "\nurandom  ", "kB/s", "s/MB",
		"\n  samples             ", "\n  full-entropy bytes  ", " a CPU second\n", "\n  estimate            ", "bits a sample (", "\n  claim               0.5 bits a sample\n", "16 touches of 16 MiB",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	got = benchOf(t, dir, "hwrng", "jitter", "urandom", "--output=json")
	var b benchReport
	if err := json.Unmarshal([]byte(got.stdout), &b); err != nil || len(b.Sources) != 3 || b.Schema != 1 || b.Duration != 0.05 || len(b.Load) != 3 {
		t.Fatalf("%v, %s", err, got.stdout)
	}
	for i, s := range b.Sources {
		if s.Source != []string{"hwrng", "jitter", "urandom"}[i] || !s.Usable || s.Bytes <= 0 || s.Rate <= 0 || s.CPUSeconds < 0 || (s.Jitter != nil) != (s.Source == "jitter") {
			t.Errorf("%+v", s)
		}
	}
	if j := b.Sources[1].Jitter; j != nil && (j.Claim != 0.5 || j.Estimate < 1 || j.SamplesPerCPUSecond < 17.99*j.BytesPerCPUSecond || j.BytesPerCPUSecond <= 0 || j.Startup <= 0) {
		t.Errorf("%+v", j)
	}
	if got := benchOf(t, dir, "urandom"); got.code != exitOK || strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("%+v", got)
	}
}

// TestBenchUnavailable: a source that cannot be measured has its reason, and is an error only for who
// asked for it.
func TestBenchUnavailable(t *testing.T) {
	dir := t.TempDir()
	useClock(t, deadClock)
	for _, tt := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"hwrng"}, exitUnavailable, []string{"hwrng   not usable", "stat hwrng: no such file or directory", "hint  no driver"}},
		{[]string{"jitter"}, exitUnavailable, []string{"jitter  not usable", "did not advance", "hint  "}},
		{[]string{"urandom", "jitter"}, exitUnavailable, []string{"urandom  ", "jitter   not usable"}},
		{nil, exitOK, []string{"hwrng    not usable", "jitter   not usable", "urandom  "}},
	} {
		got := benchOf(t, dir, tt.args...)
		if got.code != tt.code || got.stderr != "" {
			t.Errorf("%q: code %d, %s", tt.args, got.code, got.stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%q: no %q in\n%s", tt.args, want, got.stdout)
			}
		}
	}
	plant(t, dir, map[string]string{"hwrng": strings.Repeat("0123456789", 1000)})
	got := benchOf(t, dir, "hwrng", "--allow-file-source")
	if got.code != exitUnavailable || !strings.Contains(got.stdout, " bytes: EOF\n") {
		t.Errorf("end of file: %+v", got)
	}
}

func TestBenchErrors(t *testing.T) {
	if got := call(nil, "bench", "hwrgn"); got != (result{exitUsage, "", "hwrngd: unknown source \"hwrgn\", did you mean \"hwrng\"?\nhint: sources: " + sourceList + ", urandom\n"}) {
		t.Errorf("%+v", got)
	}
	if got := call(nil, "bench", "--duration=2"); got.code != exitUsage || !strings.Contains(got.stderr, "must be a time with its unit from 10ms to 1h0m0s") {
		t.Errorf("%+v", got)
	}
	if got := call(nil, "bench", "--config=/does/not/exist"); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
	if code, stderr := callFull(t, "bench", "urandom", "--duration=10ms", "--config="+os.DevNull); code != exitIO || !strings.Contains(stderr, "no space left") {
		t.Errorf("full disk: %d, %s", code, stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := dispatch(ctx, process{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}, []string{"bench", "--config=" + os.DevNull})
	if code != exitIO || stdout.Len() > 0 || stderr.String() != "hwrngd: interrupted before there was a result\n" {
		t.Errorf("interrupted: %d, %s%s", code, stdout.String(), stderr.String())
	}
}

func TestRateText(t *testing.T) {
	for rate, want := range map[float64]string{0: "0 kB/s", 12: "0.012 kB/s", 65432: "65.4 kB/s", 99900: "99.9 kB/s", 123456: "123 kB/s", 188769123: "188769 kB/s"} {
		if got := rateText(rate); got != want {
			t.Errorf("%g: %q, want %q", rate, got, want)
		}
	}
}
