//go:build !minimal

package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// TestAuditSchema: real reports of all sorts are as the schema says, and together they have every member
// that it describes.
func TestAuditSchema(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0 tpm-rng-0"))
	plant(t, dir, map[string]string{
		classDir + "rng_quality": "1024\n", "sys/firmware/devicetree/base/model": "Board 1\x00",
		"proc/sys/kernel/osrelease": "6.1.0\n", "proc/cpuinfo": "model name : CPU 1\n", "hwrng": string(fipstest.G1(20)),
	})
	machine := []string{"--sysfs=" + dir + "/sys", "--procfs=" + dir + "/proc", "--hwrng-device=" + dir + "/hwrng"}
	s := newSchema(t)
	for _, tt := range []struct {
		name  string
		stdin io.Reader
		args  []string
	}{
		{"assessed", bytes.NewReader(fipstest.G1(20)), []string{"--assess", "--label=7", "--blocks=20"}},
		{"dead", bytes.NewReader(fipstest.G11(20, 40)), nil},
		{"text first", bytes.NewReader(append([]byte(strings.Repeat("firmware 2.0 says hello\n", 9)), fipstest.G1(20)...)), nil},
		{"gap", bytes.NewReader(fipstest.G16()), nil},
		{"stale", bytes.NewReader(fipstest.G12(64, 20)), nil},
		{"empty", bytes.NewReader(nil), nil},
		{"assessed few", bytes.NewReader(fipstest.G1(2)), []string{"--assess"}},
		{"AIS 31", bytes.NewReader(fipstest.G1(1000)), []string{"--profile=ais31"}},
		{"AIS 31 fails", bytes.NewReader(fipstest.G26(1000)), []string{"--profile=ais31"}},
		{"AIS 31 undecided", bytes.NewReader(sameWords()), []string{"--profile=ais31"}},
		{"device", nil, []string{"/dev/zero", "--blocks=20"}},
		{"kernel", nil, []string{"/dev/urandom", "--blocks=20"}},
		{"generator", nil, append(machine, "hwrng", "--config=/dev/null")},
		{"error", io.MultiReader(bytes.NewReader(fipstest.G1(20)), iotest.ErrReader(errors.New("gone"))), nil},
	} {
		if raceDetector && strings.HasPrefix(tt.name, "AIS 31") {
			continue // takes long
		}
		got := auditOf(tt.stdin, append(tt.args, "--output=json")...)
		if problems := s.check(got.stdout); len(problems) > 0 {
			t.Errorf("%s: %s\n%s%s", tt.name, strings.Join(problems, "\n"), got.stderr, got.stdout)
		}
	}
	plant(t, dir, map[string]string{
		"a.json": auditData(fipstest.G1(20), "-o", "json").stdout, "b.json": auditData(fipstest.G10(20), "-o", "json").stdout,
	})
	if problems := s.check(auditOf(nil, "merge", dir+"/a.json", dir+"/b.json", "-o", "json").stdout); len(problems) > 0 {
		t.Errorf("lot: %s", strings.Join(problems, "\n"))
	}
	for _, name := range s.unseen("") {
		if raceDetector && (strings.Contains(name, "ais31") || strings.HasPrefix(name, "#procedure")) {
			continue
		}
		t.Errorf("described, but no report has it: %s", name)
	}
}

// sameWords are good data but for two equal words of 48 bits, one failure of AIS 31's T0. They are too
// few for the repetition that is due.
func sameWords() []byte {
	data := fipstest.G1(1000)
	copy(data[6:12], data[:6])
	return data
}

// TestAuditSchemaRefuses: the test above can fail.
func TestAuditSchemaRefuses(t *testing.T) {
	document := auditData(fipstest.G11(20, 40), "-o", "json").stdout
	for _, tt := range []struct{ old, new, problem string }{
		{`"verdict": "fail"`, `"verdict": "failed"`, ".verdict: failed is not one of"},
		{`"schema_version": 1`, `"schema_version": 2`, ".schema_version: 2 is not 1"},
		{`"reason":`, `"because":`, ".because: not described"},
		{`"profile":`, `"reason":`, ": lacks profile"},
		{`"alpha": 0.000001`, `"alpha": 1.5`, ".significance.alpha: 1.5 is out of range"},
		{`"blocks": 40`, `"blocks": "40"`, ".counters.blocks: 40 is no integer"},
		{`"blocks": 40`, `"blocks": 40.5`, ".counters.blocks: 40.5 is no integer"},
		{`"sha256": "`, `"sha256": "x`, "does not match"},
		{`"nibbles": [`, `"nibbles": [1,`, ".counters.nibbles: 17 items"},
		{`{`, `[`, "invalid character"},
	} {
		if !strings.Contains(document, tt.old) {
			t.Fatalf("no %s in %s", tt.old, document)
		}
		problems := newSchema(t).check(strings.Replace(document, tt.old, tt.new, 1))
		if !strings.Contains(strings.Join(problems, "\n"), tt.problem) {
			t.Errorf("%s: %q, want %q", tt.new, problems, tt.problem)
		}
	}
}
