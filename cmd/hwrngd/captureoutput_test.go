package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// TestCaptureOutput: no binary data for a terminal, and a full disk is an error.
func TestCaptureOutput(t *testing.T) {
	for _, args := range [][]string{{"--samples=1"}, {"--samples=200000"}, {"--format=json"}} {
		code, stderr := callFull(t, append([]string{"capture", "jitter", "--config=/dev/null"}, args...)...)
		if code != exitIO || !strings.Contains(stderr, "cannot write to standard output: no space left on device") {
			t.Errorf("%q: code %d, %s", args, code, stderr)
		}
	}
	terminal := kit.NewPTY(t).Master
	for format, want := range map[string]int{"bin": exitUsage, "u64": exitUsage, "json": exitOK} {
		var stderr bytes.Buffer
		code := dispatch(t.Context(), process{stdin: strings.NewReader(""), stdout: terminal, stderr: &stderr},
			[]string{"capture", "jitter", "--config=/dev/null", "--samples=1", "--format=" + format})
		if code != want || (code == exitUsage) != strings.Contains(stderr.String(), "is not for a terminal\nhint: name a file by --out") {
			t.Errorf("%s: code %d, %s", format, code, stderr.String())
		}
	}
}

func TestMachineFacts(t *testing.T) {
	dir := t.TempDir()
	if load, cpu := loadAverage(dir), cpuModel(dir); load != nil || cpu != "" {
		t.Errorf("of nothing: %v, %q", load, cpu)
	}
	plant(t, dir, map[string]string{"loadavg": "0.20 1.18 12.05 2/345 6789\n"})
	if load := loadAverage(dir); len(load) != 3 || load[0] != 0.2 || load[2] != 12.05 {
		t.Errorf("%v", load)
	}
	for text, want := range map[string]string{
		"processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 7763\n":         "AMD EPYC 7763",
		"system type\t\t: MediaTek MT7621\ncpu model\t\t: MIPS 1004Kc V2.15\n": "MIPS 1004Kc V2.15",
		"processor\t: 0\nCPU part\t: 0xd08\n\nModel\t\t: Raspberry Pi 4\n":     "Raspberry Pi 4",
		"cpu\t\t: POWER9\n": "POWER9",
		"flags: x\n":        "",
	} {
		plant(t, dir, map[string]string{"cpuinfo": text})
		if got := cpuModel(dir); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
