//go:build !minimal

package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/audit/ais31"
	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// auditOf runs hwrngd audit on a machine that shows nothing of itself.
func auditOf(stdin io.Reader, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := dispatch(context.Background(), process{stdin: stdin, stdout: &stdout, stderr: &stderr},
		append([]string{"audit", "--sysfs=/nowhere", "--procfs=/nowhere"}, args...))
	return result{code, stdout.String(), stderr.String()}
}

// auditData audits bytes that come by a pipe.
func auditData(data []byte, args ...string) result { return auditOf(bytes.NewReader(data), args...) }

// dataFile writes bytes to a file.
func dataFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	kit.WriteFile(t, path, data, 0o644)
	return path
}

// TestAuditReport: what people get to read, in one screen.
func TestAuditReport(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name  string
		data  []byte
		args  []string
		code  int
		first string // how the report begins
	}{
		{"good", fipstest.G1(200), nil, exitOK, "PASS  None of 200 blocks failed; "},
		{"one-failure", oneFailure(), nil, exitOK, "PASS  1 of 41 blocks failed; "},
		{"strict", oneFailure(), []string{"--strict"}, exitFailedTests, "FAIL  No block may fail, but 1 of 41 blocks failed"},
		{"suspicious", fipstest.G1(146), []string{"--alpha=0.0099"}, exitTooLittleData, "SUSPICIOUS  "},
		{"dead", fipstest.G11(20, 40), nil, exitFailedTests, "FAIL  "},
		{"biased", fipstest.G15(0.48, 20), []string{"--label=unit 7"}, exitFailedTests, "FAIL  "},
		{"text", fipstest.G21("hex", 100), nil, exitFailedTests, "FAIL  "},
		{"fips140-1", fipstest.G1(100), []string{"--profile=fips140-1"}, exitOK, "PASS  "},
		{"claim", fipstest.G1(100), []string{"--claim=0.5"}, exitOK, "PASS  "},
		{"fewer", fipstest.G1(100), []string{"--blocks=101"}, exitTooLittleData, "INSUFFICIENT  Only 100 of 101 blocks came"},
		{"few", fipstest.G1(5), nil, exitTooLittleData, "INSUFFICIENT  5 blocks came, and a pass means little"},
		{"empty", nil, nil, exitTooLittleData, "INSUFFICIENT  No whole block of 2500 bytes came"},
		{"assessed", fipstest.G1(60), []string{"--assess"}, exitOK, "PASS  "},
		{"assessed-few", fipstest.G1(1), []string{"--assess"}, exitTooLittleData, "INSUFFICIENT  "},
		{"ais31", fipstest.G1(1000), []string{"--profile=ais31"}, exitOK, "PASS  "},
		{"ais31-fails", fipstest.G26(1000), []string{"--profile=ais31"}, exitFailedTests, "FAIL  "},
		{"ais31-undecided", sameWords(), []string{"--profile=ais31"}, exitTooLittleData, "INSUFFICIENT  A single verdict of AIS 31 failed, so that its procedure must be repeated:"},
		{"ais31-few", fipstest.G1(400), []string{"--profile=ais31"}, exitTooLittleData, "INSUFFICIENT  Cannot run procedures A and B of AIS 20/31 on 1000004 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if raceDetector && len(tt.data) > 1_000_000 {
				t.Skip("takes long")
			}
			kit.WriteFile(t, filepath.Join(dir, "data"), tt.data, 0o644)
			got := inDir(t, dir, func() result { return auditOf(nil, append([]string{"data"}, tt.args...)...) })
			if got.code != tt.code || !strings.HasPrefix(got.stdout, tt.first) || got.stderr != "" {
				t.Errorf("code %d, want %d; %q does not begin with %q; %s", got.code, tt.code, got.stdout, tt.first, got.stderr)
			}
			lines := strings.Split(got.stdout, "\n")
			room := 45
			if slices.Contains(tt.args, "--assess") {
				room += 5
			}
			if len(lines) > room {
				t.Errorf("%d lines", len(lines))
			}
			for _, line := range lines {
				if n := len([]rune(line)); n > reportWidth {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			golden(t, "audit/"+tt.name+".txt", got.stdout)
		})
	}
}

// oneFailure is good data of 41 blocks. The last is the first one of G1 that fails.
func oneFailure() []byte {
	failing := fipstest.G1Block(1216)
	return append(fipstest.G1(40), failing[:]...)
}

// FC-027: what is no whole block never passes.
func TestAuditOfLittle(t *testing.T) {
	for _, n := range []int{0, 3, 4, 2499, 2503} {
		got := auditData(fipstest.G1(1)[:n])
		if got.code != exitTooLittleData || !strings.HasPrefix(got.stdout, "INSUFFICIENT  No whole block") {
			t.Errorf("%d bytes: %+v", n, got)
		}
		got = auditData(fipstest.G1(1)[:n], "--output=json", "-")
		if got.code != exitTooLittleData || !strings.Contains(got.stdout, `"verdict": "insufficient"`) {
			t.Errorf("%d bytes: %+v", n, got)
		}
	}
}

func TestAuditErrors(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"empty": "", "other.html": "mine", "data": string(fipstest.G1(11))})
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"none", exitNoInput, "cannot audit: stat none: no such file or directory\n"},
		{"dev/hwrng", exitNoInput, "no such file or directory\nhint: 'hwrngd list' shows which generators there are"},
		{"hwrng --config=/dev/null --hwrng-device=gone", exitNoInput, "stat gone: no such file"},
		{".", exitNoInput, "cannot audit .: it is a directory"},
		{"empty other", exitUsage, `unexpected argument "other"` + "\nhint: audit them one by one; 'hwrngd audit merge'"},
		{"empty --blocks=0", exitUsage, `--blocks: must be a whole number from 1 to 2147483647, not "0"`},
		{"empty --bytes=2503", exitUsage, "--bytes: must be a number of bytes, 2504 at least"},
		{"empty --duration=10", exitUsage, "--duration: must be a time with its unit"},
		{"empty --alpha=0.01", exitUsage, "--alpha: must be a number above 0 and below 0.01, such as 1e-6"},
		{"empty --claim=8.5", exitUsage, "--claim: must be a number above 0 and at most 8"},
		{"empty --profile=fips1402", exitUsage, `--profile: unknown profile "fips1402", did you mean "fips140-2"?` + "\nhint: profiles: fips140-2, fips140-1, ais31"},
		{"empty --label=" + strings.Repeat("x", 201), exitUsage, "--label: 201 bytes are more than 200"},
		{"empty --rngtest=true", exitUsage, "--rngtest: write it without a value"},
		{"empty --tee=data", exitUsage, "data exists, and a copy of the data never overwrites"},
		{"empty --tee=no/x", exitIO, "cannot create the copy of the data: open no/x: no such file"},
		{"empty --html=other.html", exitUsage, "--html: other.html exists and is not a report of hwrngd audit"},
		{"empty --junit=data", exitUsage, "--junit: data exists and is not a report of hwrngd audit"},
		{"empty --junit=.", exitUsage, "--junit: . is a directory"},
		{"empty --html=no/x", exitIO, "--html: cannot write the report: open no/"},
		{"empty --html=/dev/full", exitIO, "--html: cannot write the report: write /dev/full: no space left on device"},
		{"merge", exitUsage, "no reports to merge"},
		{"merge none.json", exitNoInput, "cannot merge: open none.json: no such file"},
		{"merge .", exitNoInput, "cannot merge: read .: is a directory"},
		{"merge data", exitUsage, "cannot merge data: read report of an audit: invalid character"},
		{"merge empty", exitUsage, "cannot merge empty: read report of an audit: unexpected end of JSON input"},
		{"merge data --assess", exitUsage, "--assess: not possible with merge"},
	} {
		got := inDir(t, dir, func() result { return auditOf(nil, strings.Fields(tt.args)...) })
		if got.code != tt.code || !strings.Contains(got.stderr, "hwrngd: ") || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: code %d, want %d; %q does not contain %q", tt.args, got.code, tt.code, got.stderr, tt.want)
		}
	}
	left, err := filepath.Glob(dir + "/*")
	hidden, _ := filepath.Glob(dir + "/.*")
	if err != nil || len(left) != 3 || len(hidden) != 0 {
		t.Errorf("left: %q %q", left, hidden)
	}
}

// TestAuditLimits: what is read, and whether it was enough.
func TestAuditLimits(t *testing.T) {
	const boot, block = bootBytes, fips.BlockBytes
	for _, tt := range []struct {
		args    string
		bytes   int64
		wanted  int64
		stopped string
		code    int
	}{
		{"", boot + 100*block, 0, stoppedEnd, exitOK},
		{"--blocks=20", boot + 20*block, 20, stoppedBlocks, exitOK},
		{"--blocks=100", boot + 100*block, 100, stoppedBlocks, exitOK},
		{"--blocks=101", boot + 100*block, 101, stoppedEnd, exitTooLittleData},
		{"--bytes=50000", boot + 19*block, 19, stoppedBytes, exitOK},
		{"--bytes=50004", boot + 20*block, 20, stoppedBytes, exitOK},
		{"--bytes=100K", boot + 40*block, 40, stoppedBytes, exitOK},
		{"--bytes=1M", boot + 100*block, 419, stoppedEnd, exitTooLittleData},
		{"--bytes=100K --blocks=30", boot + 30*block, 30, stoppedBlocks, exitOK},
		{"--bytes=60000 --blocks=30", boot + 23*block, 23, stoppedBytes, exitOK},
		{"--blocks=10 --duration=1h", boot + 10*block, 10, stoppedBlocks, exitTooLittleData},
		{"--duration=1h", boot + 100*block, 0, stoppedEnd, exitOK},
		{"--until-confident --blocks=50", boot + 50*block, 50, stoppedBlocks, exitOK},
		{"--until-confident", boot + 100*block, 0, stoppedEnd, exitTooLittleData},
	} {
		for _, from := range []string{"file", "pipe"} {
			t.Run(from+" "+tt.args, func(t *testing.T) {
				args := append(strings.Fields(tt.args), "--output=json")
				var got result
				if from == "file" {
					got = auditOf(nil, append(args, dataFile(t, fipstest.G1(100)))...)
				} else {
					got = auditData(fipstest.G1(100), args...)
				}
				r := parseAudit(t, got.stdout)
				if got.code != tt.code || r.Run.Bytes != tt.bytes || r.Input.Wanted != tt.wanted || r.Input.Stopped != tt.stopped || r.Input.Kind != from {
					t.Errorf("code %d, %d bytes, %+v", got.code, r.Run.Bytes, r.Input)
				}
			})
		}
	}
}

// TestAuditUntilConfident: good data are read until they are accepted, bad ones until they are not.
func TestAuditUntilConfident(t *testing.T) {
	if raceDetector {
		t.Skip("takes long")
	}
	good := parseAudit(t, auditData(fipstest.G1(3000), "--until-confident", "-o", "json").stdout)
	if good.Verdict != "pass" || good.Input.Stopped != stoppedConfident || good.Run.Blocks != 2230 || good.Run.Bytes != bootBytes+2230*fips.BlockBytes {
		t.Errorf("%s after %d blocks: %+v", good.Verdict, good.Run.Blocks, good.Input)
	}
	for _, args := range [][]string{{"-"}, {dataFile(t, fipstest.G10(100))}} {
		got := auditData(fipstest.G10(100), append(args, "--until-confident", "-o", "json")...)
		bad := parseAudit(t, got.stdout)
		if got.code != exitFailedTests || bad.Run.Blocks != 9 || bad.Input.Stopped != stoppedConfident {
			t.Errorf("%q: code %d, %s after %d blocks", args, got.code, bad.Verdict, bad.Run.Blocks)
		}
	}
	short := auditData(fipstest.G1(100), "--until-confident")
	if !strings.HasPrefix(short.stdout, "INSUFFICIENT  The data ended before the verdict was sure: a good source would have taken about 24") {
		t.Errorf("%+v", short)
	}
}

// TestAuditSameBytes: the same data give the same document, however they come. Only the name and the
// kind of the input differ.
func TestAuditSameBytes(t *testing.T) {
	data := append(fipstest.G11(30, 40), 1, 2, 3)
	file := dataFile(t, data)
	first := auditOf(nil, file, "-o", "json").stdout
	if again := auditOf(nil, file, "-o", "json").stdout; again != first {
		t.Error("two audits of a file differ")
	}
	want := strings.NewReplacer(file, stdinName, `"kind": "file"`, `"kind": "pipe"`).Replace(first)
	for name, r := range map[string]io.Reader{
		"at once": bytes.NewReader(data), "half": iotest.HalfReader(bytes.NewReader(data)),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(data)), "error with data": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		if got := auditOf(r, "-o", "json").stdout; got != want {
			t.Errorf("%s: differs from that of the file", name)
		}
	}
}

// TestMindConfidence: only data that ended by themselves can have been too few for certainty.
func TestMindConfidence(t *testing.T) {
	for _, tt := range []struct {
		stopped         string
		confident, done bool
		verdict, want   audit.Verdict
	}{
		{stoppedEnd, true, false, audit.Pass, audit.Insufficient},
		{stoppedInterrupted, true, false, audit.Pass, audit.Insufficient},
		{stoppedError, true, false, audit.Pass, audit.Insufficient},
		{stoppedDuration, true, false, audit.Pass, audit.Pass},
		{stoppedBlocks, true, false, audit.Pass, audit.Pass},
		{stoppedEnd, true, true, audit.Pass, audit.Pass},
		{stoppedEnd, false, false, audit.Pass, audit.Pass},
		{stoppedEnd, true, false, audit.Fail, audit.Fail},
	} {
		a := &auditing{opt: &auditOptions{confident: tt.confident}, stopped: tt.stopped}
		for tt.done && !a.sequential.Add(false) {
		}
		r := &audit.Report{Verdict: tt.verdict}
		if a.mindConfidence(r); r.Verdict != tt.want {
			t.Errorf("%+v: %s", tt, r.Verdict)
		}
	}
}

func TestReasonAIS31(t *testing.T) {
	failed := func(name string, n int) ais31.Procedure {
		return ais31.Procedure{Verdict: ais31.Fail, Attempts: []ais31.Attempt{
			{Verdicts: 9, Failures: 1},
			{Verdicts: 9, Failures: n, Tests: []ais31.Test{{Name: name}, {Name: "t8", Passed: true}}},
		}}
	}
	pass := ais31.Procedure{Verdict: ais31.Pass, Attempts: []ais31.Attempt{{Verdicts: 9}}}
	for _, tt := range []struct {
		result ais31.Result
		want   string
	}{
		{ais31.Result{Verdict: ais31.Fail, A: failed("t0", 1), B: pass}, "AIS 31 failed, procedure A: 1 of 9 verdicts (T0)"},
		{ais31.Result{Verdict: ais31.Fail, A: failed("t1", 2), B: failed("t6a", 1)}, "AIS 31 failed, procedure A: 2 of 9 verdicts (T1); procedure B: 1 of 9 verdicts (T6a)"},
	} {
		if got := reasonAIS31(&tt.result); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestDeepenTooLittle: what cannot be computed is left out, and said where it was asked for.
func TestDeepenTooLittle(t *testing.T) {
	got := auditData(fipstest.G1(1)[:999], "--assess", "-o", "json")
	if r := parseAudit(t, got.stdout); r.Assessment != nil || got.stderr != "hwrngd: warning: no estimates of min-entropy: assess samples: too few samples for an estimate of min-entropy: 999 of at least 1000\n" {
		t.Errorf("%+v, %s", r.Assessment, got.stderr)
	}
	var stdout, stderr bytes.Buffer
	pipe := filepath.Join(t.TempDir(), "pipe")
	fifo(t, pipe)
	dispatch(canceled(t), process{stdout: &stdout, stderr: &stderr}, []string{"audit", pipe, "--assess", "--profile=ais31", "-o", "json"})
	if r := parseAudit(t, stdout.String()); r.Input.Stopped != stoppedInterrupted || r.AIS31 != nil || r.Assessment != nil || r.Verdict != audit.Insufficient || stderr.String() != "" {
		t.Errorf("%+v, %s", r, stderr.String())
	}
}
