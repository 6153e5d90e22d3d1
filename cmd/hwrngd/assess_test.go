//go:build !minimal

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/sp80090b"
	"github.com/hwrngd/hwrngd/test/kit"
)

// sampleData returns n samples of so many bits, the same each time, that a good generator could give.
func sampleData(n, bits int) []byte {
	rng := rand.NewPCG(1, uint64(bits))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint64() >> (64 - bits))
	}
	return data
}

// inSampleDir runs hwrngd assess beside a few files of samples.
func inSampleDir(t *testing.T, files map[string]string, args ...string) result {
	t.Helper()
	dir := t.TempDir()
	plant(t, dir, files)
	return inDir(t, dir, func() result { return call(nil, append([]string{"assess"}, args...)...) })
}

// TestAssessReport: what people and programs get to read.
func TestAssessReport(t *testing.T) {
	for _, tt := range []struct {
		name  string
		data  []byte
		files map[string]string
		args  []string
	}{
		{"bytes", sampleData(20000, 8), nil, nil},
		{"nibbles", sampleData(20000, 4), nil, nil},
		{"bits", sampleData(20000, 1), nil, []string{"--bits=1"}},
		{"wider", sampleData(20000, 4), nil, []string{"--bits=8", "--samples=5000"}},
		{"constant", make([]byte, 2000), nil, nil},
		{"jitter", sampleData(20000, 6), map[string]string{"x.bin.json": `{"source": "jitter", "format": "bin", "rows": 1}`}, nil},
		{"rows", sampleData(2000, 6), map[string]string{"x.bin.json": `{"source": "jitter", "format": "bin", "rows": 2}`}, nil},
		{"strange-header", sampleData(2000, 6), map[string]string{"x.bin.json": `{"source": "else", "format": "u64"}`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := merge(map[string]string{"x.bin": string(tt.data)}, tt.files)
			for format, ext := range map[string]string{"text": ".txt", "json": ".json"} {
				got := inSampleDir(t, files, append([]string{"x.bin", "--output=" + format}, tt.args...)...)
				warned := strings.Contains(got.stderr, "each taken after a restart")
				if got.code != exitOK || warned != (tt.name == "rows") || !warned && got.stderr != "" {
					t.Errorf("code %d, %s", got.code, got.stderr)
				}
				if format == "text" {
					golden(t, "assess/"+tt.name+ext, got.stdout)
				} else {
					checkAssessment(t, tt.data, tt.args, got.stdout)
				}
			}
		})
	}
}

// checkAssessment compares a document with the estimators themselves.
func checkAssessment(t *testing.T, data []byte, args []string, document string) {
	t.Helper()
	var got struct {
		Schema   int                `json:"schema_version"`
		Assessed float64            `json:"assessed_min_entropy"`
		Samples  int                `json:"samples"`
		Bits     int                `json:"symbol_bits"`
		Literal  map[string]float64 `json:"literal"`
		Bit      map[string]float64 `json:"bitstring"`
	}
	if err := json.Unmarshal([]byte(document), &got); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	want, err := sp80090b.Assess(t.Context(), data[:got.Samples], got.Bits, sp80090b.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(args) == 0 && got.Samples != len(data) || got.Schema != 1 || math.Abs(got.Assessed-want.AssessedMinEntropy) > 1e-9 || len(got.Literal) != len(want.Literal) || len(got.Bit) != len(want.BitString) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, e := range want.Literal {
		if math.Abs(got.Literal[e.Name]-e.MinEntropy) > 1e-9 {
			t.Errorf("%s: %g, want %g", e.Name, got.Literal[e.Name], e.MinEntropy)
		}
	}
}

func TestAssessErrors(t *testing.T) {
	files := map[string]string{
		"ok": string(sampleData(2000, 8)), "few": string(sampleData(999, 8)), "wide": strings.Repeat("\x01", 1500) + "\x10\x20",
		"times": string(make([]byte, 800)), "odd": "1234567", "empty": "",
		"jitter": "", "jitter.json": `{"source": "jitter", "format": "u64", "rows": 1}`,
		"bytes": "", "bytes.json": `{"source": "hwrng", "format": "bin", "rows": 1}`,
		"rows": "", "rows.json": `{"source": "jitter", "format": "u64", "rows": 3, "samples_per_row": 9}`,
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "no file to assess\nhint: name a file"},
		{"none", exitNoInput, "cannot assess: open none: no such file or directory"},
		{".", exitIO, "cannot read the samples: read .: is a directory"},
		{"few", exitTooLittleData, "few has 999 samples, at least 1000 are needed\nhint: the standard asks for 1000000"},
		{"empty", exitTooLittleData, "empty has 0 samples"},
		{"-", exitTooLittleData, "standard input has 0 samples"},
		{"ok --samples=10", exitTooLittleData, "ok has 10 samples"},
		{"ok --bits=9", exitUsage, `--bits: must be a whole number from 1 to 8, not "9"`},
		{"wide --bits=4", exitUsage, "wide: byte 16 at offset 1500 needs 5 bits, --bits says 4\nhint: one sample a byte"},
		{"ok --replay --restart=2", exitUsage, "--replay and --restart exclude each other"},
		{"ok --replay --bits=8", exitUsage, "--bits and --claim are not for --replay"},
		{"ok --restart=2", exitUsage, "--restart needs --claim\nhint: assess consecutive samples first"},
		{"ok --restart=2 --claim=1 --samples=5", exitUsage, "--restart takes the whole file"},
		{"ok --claim=1", exitUsage, "--claim is for --restart"},
		{"ok --restart=2 --claim=5 --bits=4", exitUsage, "--claim: 5 bits are more than a sample of 4 has"},
		{"ok --restart=2 --claim=9", exitUsage, `--claim: must be a number above 0 and at most 8, not "9"`},
		{"ok --restart=3 --claim=1", exitUsage, "ok: 2000 samples are not 3 rows of 2 to 2000"},
		{"few --restart=3 --claim=1", exitTooLittleData, "few has 999 samples"},
		{"wide --restart=2 --claim=7", exitUsage, "--claim: 7 bits are more than a sample of 6 bits has"},
		{"odd --replay", exitUsage, "odd: 7 bytes are no whole number of times"},
		{"times --replay", exitTooLittleData, "times: 99 samples are too few"},
		{"empty --replay", exitTooLittleData, "empty: 0 samples are too few"},
		{"none --replay", exitNoInput, "open none"},
		{"jitter", exitUsage, "jitter holds times, not samples, says jitter.json\nhint: judge them by --replay"},
		{"bytes --replay", exitUsage, "bytes holds samples, not times, says bytes.json"},
		{"rows --replay", exitUsage, "has 3 rows, each with times of its own\nhint: replay the first one: --samples=10"},
	} {
		got := inSampleDir(t, files, strings.Fields(tt.args)...)
		if got.code != tt.code || got.stdout != "" || !strings.HasPrefix(got.stderr, "hwrngd: ") || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: %+v, want %d, %q", tt.args, got, tt.code, tt.want)
		}
	}
	code, stderr := callFull(t, "assess", samplesIn(t, sampleData(2000, 8)))
	if code != exitIO || !strings.Contains(stderr, "no space left") {
		t.Errorf("full disk: %d, %s", code, stderr)
	}
}

// samplesIn makes a file of samples.
func samplesIn(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples")
	kit.WriteFile(t, path, data, 0o600)
	return path
}

// assessFrom runs hwrngd assess with a standard input.
func assessFrom(ctx context.Context, stdin io.Reader, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := dispatch(ctx, process{stdin: stdin, stdout: &stdout, stderr: &stderr}, append([]string{"assess"}, args...))
	return result{code, stdout.String(), stderr.String()}
}

func TestAssessStdin(t *testing.T) {
	got := assessFrom(t.Context(), bytes.NewReader(sampleData(20000, 4)), "-", "--output=json")
	if got.code != exitOK || !strings.Contains(got.stdout, `"assessed_min_entropy": `) || !strings.Contains(got.stdout, `"symbol_bits": 4`) {
		t.Errorf("%+v", got)
	}
	// A limit keeps it from waiting for the end of a stream.
	got = assessFrom(t.Context(), io.MultiReader(bytes.NewReader(sampleData(2001, 8)), forever{}), "-", "--samples=2000")
	if got.code != exitOK {
		t.Errorf("%+v", got)
	}
	got = assessFrom(t.Context(), io.MultiReader(bytes.NewReader(sampleData(2000, 8)), failing{}), "-")
	if got.code != exitIO || !strings.Contains(got.stderr, "cannot read the samples: broken") {
		t.Errorf("%+v", got)
	}
}

// forever is a pipe that nobody writes to.
type forever struct{}

func (forever) Read([]byte) (int, error) { select {} }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestAssessInterrupted: Ctrl-C ends the wait for input, and the work.
func TestAssessInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := result{exitIO, "", "hwrngd: interrupted before there was a result\n"}
	for _, args := range [][]string{{"-"}, {"-", "--replay"}, {"-", "--restart=2", "--claim=1"}} {
		if got := assessFrom(ctx, forever{}, args...); got != want {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if err := exitErrorAs(fmt.Errorf("assess: %w", context.Canceled)); !errors.Is(err, context.Canceled) || exitCode(exitErrorAs(errors.New("x"))) != exitUsage {
		t.Error(err)
	}
	if _, err := judge(ctx, make([]int64, 1<<20)); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSuggestion(t *testing.T) {
	for _, tt := range []struct {
		source   string
		assessed float64
		want     string
	}{
		{"", 7.2, "entropy = { hwrng = 3.6 }"},
		{"hwrng", 1.999, "entropy = { hwrng = 0.99 }"},
		{"jitter", 0.7, "entropy = { jitter = 0.35 }"},
		{"jitter", 2.2, "entropy = { jitter = 0.5 }"},
		{"", 0.019, ""},
		{"jitter", 0, ""},
	} {
		got := ""
		if s := suggest(tt.source, tt.assessed); s != nil {
			got = s.String()
			if _, err := LoadConfig(input(writeConfig(t, got+"\n"), nil, nil)); err != nil {
				t.Errorf("%s: %v", got, err)
			}
		}
		if got != tt.want {
			t.Errorf("%s, %g: %q, want %q", tt.source, tt.assessed, got, tt.want)
		}
	}
}
