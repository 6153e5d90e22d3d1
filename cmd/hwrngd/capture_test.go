package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source/jitter"
	"github.com/hwrngd/hwrngd/test/kit"
)

// capture runs hwrngd capture with these arguments and no configuration of the machine.
func capture(args ...string) result {
	return call(nil, append([]string{"capture", "--config=/dev/null"}, args...)...)
}

func TestCaptureUsage(t *testing.T) {
	for _, tt := range []struct{ args, message, hint string }{
		{"", "no source to capture", "sources: " + sourceList},
		{"jiter", `unknown source "jiter", did you mean "jitter"?`, "sources: " + sourceList},
		{"urandom", `unknown source "urandom"`, "sources: " + sourceList},
		{"jitter --format=u46", `--format: unknown format "u46", did you mean "u64"?`, "formats: bin, u64, json"},
		{"jitter --format=hex", `--format: unknown format "hex"`, "formats: bin, u64, json"},
		{"jitter --samples=0", `--samples: must be a whole number from 1 to 100000000, not "0"`, "'hwrngd help capture' lists the options"},
		{"jitter --restart=1000 --samples=200000", "--restart: 1000 rows of 200000 samples are more than 100000000 samples", ""},
		{"jitter --memory=1000", `--memory: must be a power of two from 64 to 1073741824 bytes, such as 256K or 16M, not "1000"`, "'hwrngd help capture' lists the options"},
		{"hwrng --format=u64", "--format: u64 is for times, and source hwrng has none", "use bin or json"},
		{"hwrng --restart=2", "--restart: not possible with source hwrng", "it is for jitter only"},
		{"hwrng --memory=1M", "--memory: not possible with source hwrng", "it is for jitter only"},
		{"hwrng --touches=1", "--touches: not possible with source hwrng", "it is for jitter only"},
	} {
		want := "hwrngd: " + tt.message + "\n"
		if tt.hint != "" {
			want += "hint: " + tt.hint + "\n"
		}
		if got := capture(strings.Fields(tt.args)...); got != (result{exitUsage, "", want}) {
			t.Errorf("%s: %+v\nwant %q", tt.args, got, want)
		}
	}
	if got := call(nil, "capture", "jitter", "--config=/does/not/exist"); got.code != exitUsage || !strings.Contains(got.stderr, "/does/not/exist") {
		t.Errorf("%+v", got)
	}
}

// TestCaptureJitter: the three formats are of the same samples, and the header tells their origin.
func TestCaptureJitter(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.bin")
	if got := capture("jitter", "--samples=3000", "--out="+out); got != (result{exitOK, "", "3000 samples in " + out + " and " + out + ".json\n"}) {
		t.Fatalf("%+v", got)
	}
	samples := readPrivate(t, out)
	var h captureHeader
	if err := json.Unmarshal(readPrivate(t, out+".json"), &h); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(samples)
	if len(samples) != 3000 || h.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%d samples, hash %s", len(samples), h.SHA256)
	}
	if h.Schema != 1 || h.Source != "jitter" || h.Format != "bin" || h.SymbolBits != 8 || h.Rows != 1 || h.Columns != 3000 || h.Arch == "" || h.Version == "" ||
		h.CommandLine != "hwrngd capture jitter --config=/dev/null --samples=3000 --out="+out || !strings.Contains(h.Note, "never be credited") {
		t.Errorf("%+v", h)
	}
	if at, err := time.Parse(time.RFC3339, h.Time); err != nil || time.Since(at).Abs() > time.Hour || h.Seconds < 0 {
		t.Errorf("at %s for %g s: %v", h.Time, h.Seconds, err)
	}
	if h.HWRNG != nil || h.Jitter == nil || h.Jitter.Tick < 9.9 || h.Jitter.Tick > 10.1 || h.Jitter.Sigma < 1 || len(h.Jitter.Claims) != 4 || h.Jitter.Setting.Touches != 16 {
		t.Errorf("%+v", h.Jitter)
	}

	times := capture("jitter", "--samples=3000", "--format=u64")
	if times.code != exitOK || times.stderr != "" || len(times.stdout) != 8*3001 {
		t.Fatalf("code %d, %d bytes, %s", times.code, len(times.stdout), times.stderr)
	}
	last := binary.LittleEndian.Uint64([]byte(times.stdout))
	for i, symbol := range samples {
		next := binary.LittleEndian.Uint64([]byte(times.stdout[8*i+8:]))
		if want := byte((next - last + 5) / 10); want != symbol {
			t.Fatalf("sample %d of %d ns is %d, want %d", i, next-last, symbol, want)
		}
		last = next
	}

	document := capture("jitter", "--samples=3000", "--format=json")
	var d struct {
		captureHeader
		Samples []int `json:"samples"`
	}
	if err := json.Unmarshal([]byte(document.stdout), &d); err != nil || document.code != exitOK || document.stderr != "" {
		t.Fatalf("code %d, %v, %s", document.code, err, document.stderr)
	}
	if len(d.Samples) != 3000 || d.SHA256 != h.SHA256 || d.Format != "json" || d.Jitter == nil {
		t.Errorf("%d samples, hash %s", len(d.Samples), d.SHA256)
	}
	for i, x := range d.Samples {
		if byte(x) != samples[i] {
			t.Fatalf("sample %d is %d in JSON, %d in binary", i, x, samples[i])
		}
	}
}

// readPrivate reads a file that nobody else can.
func readPrivate(t *testing.T, path string) []byte {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("%s has mode %v", path, info.Mode())
	}
	return []byte(kit.ReadFile(t, path))
}

// TestCaptureRestarts: each row begins anew, and the pinned setting is that of all.
func TestCaptureRestarts(t *testing.T) {
	made := 0
	useClock(t, func() jitter.Clock { made++; return noisyClock() })
	document := capture("jitter", "--restart=3", "--samples=7", "--format=json", "--memory=1M", "--touches=5")
	var d struct {
		captureHeader
		Samples []int `json:"samples"`
	}
	if err := json.Unmarshal([]byte(document.stdout), &d); err != nil || len(d.Samples) != 21 || d.Rows != 3 || d.Columns != 7 {
		t.Fatalf("%v, %s%s", err, document.stdout, document.stderr)
	}
	if d.Jitter.Setting != (jitter.Profile{Buffer: 1 << 20, Touches: 5}) {
		t.Errorf("%+v", d.Jitter)
	}
	// The simulated machine is the same after each restart, as no real one should be.
	for i, x := range d.Samples {
		if x != d.Samples[i%7] {
			t.Errorf("row %d differs: %v", i/7, d.Samples)
			break
		}
	}
	if made != 4 {
		t.Errorf("%d samplers, want one a row and one to settle the tick", made)
	}
	if !strings.Contains(document.stdout, ",\n") || strings.Count(document.stdout[strings.Index(document.stdout, "samples\": ["):], "\n") != 4 {
		t.Errorf("not one line a row:\n%s", document.stdout)
	}
	if got := capture("jitter", "--restart=2", "--samples=4", "--format=u64"); len(got.stdout) != 2*5*8 {
		t.Errorf("%d bytes of times", len(got.stdout))
	}
	if got := capture("jitter", "--restart=2"); len(got.stdout) != 2000 {
		t.Errorf("%d bytes by default", len(got.stdout))
	}
}

// TestCaptureProgress: a long row cannot be counted, so its progress is a guess that never claims to be
// done.
func TestCaptureProgress(t *testing.T) {
	opt := &captureOptions{source: "jitter", samples: guessFrom}
	count := newTally("samples", opt.total())
	options := jitter.SamplerOptions{}
	if err := settleSampler(t.Context(), &options, opt, count); err != nil {
		t.Fatal(err)
	}
	guess := count.guess.Load()
	if guess == nil {
		t.Fatal("no guess")
	}
	time.Sleep(time.Millisecond)
	if n := (*guess)(); n <= 0 || n >= guessFrom {
		t.Errorf("guess of %d samples", n)
	}
	count.done.Store(guessFrom)
	if n := (*guess)(); n < 0 || n >= guessFrom {
		t.Errorf("guess of %d samples after a row", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := settleSampler(ctx, &options, opt, count); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCaptureKeepsFiles: an older capture stays as it is, and a failed one leaves nothing.
func TestCaptureKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"old": "mine", "other.json": "mine too"})
	for file, exists := range map[string]string{"old": "old", "other": "other.json"} {
		got := capture("jitter", "--samples=1", "--out="+filepath.Join(dir, file))
		if want := filepath.Join(dir, exists) + " exists, and a capture never overwrites"; got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", file, got)
		}
	}
	if got := capture("jitter", "--samples=1", "--out="+dir+"/none/x"); got.code != exitIO || !strings.Contains(got.stderr, "no such file or directory") {
		t.Errorf("%+v", got)
	}
	useClock(t, deadClock)
	got := capture("jitter", "--out="+dir+"/new")
	if got.code != exitUnavailable || !strings.Contains(got.stderr, "no usable tick") || !strings.Contains(got.stderr, "new and "+dir+"/new.json removed\n") {
		t.Errorf("%+v", got)
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 2 {
		t.Errorf("left: %q", left)
	}
	if data, _ := os.ReadFile(dir + "/old"); string(data) != "mine" {
		t.Errorf("overwritten: %q", data)
	}
}

// TestCaptureInterrupted: Ctrl-C removes what was made.
func TestCaptureInterrupted(t *testing.T) {
	dir := t.TempDir()
	silentFIFO(t, dir+"/hwrng")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"jitter"}, {"hwrng", "--sysfs=" + dir, "--hwrng-device=" + dir + "/hwrng"}} {
		var stderr bytes.Buffer
		out := filepath.Join(dir, "out")
		code := dispatch(ctx, process{stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &stderr},
			append([]string{"capture", "--config=/dev/null", "--out=" + out}, args...))
		if want := "hwrngd: interrupted after 0 of 1000000 samples; " + out + " and " + out + ".json removed\n"; code != exitIO || stderr.String() != want {
			t.Errorf("%q: code %d, %q", args, code, stderr.String())
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
