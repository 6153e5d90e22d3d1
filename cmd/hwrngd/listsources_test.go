package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source/cpu"
)

// listed returns the rows of a source in the list with these options.
func listed(t *testing.T, source string, args ...string) []listSource {
	t.Helper()
	got := call(nil, append([]string{"list", "--config=/dev/null", "--sysfs=/nosuch", "--hwrng-device=/nosuch", "--output=json"}, args...)...)
	var report listReport
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != exitOK {
		t.Fatalf("%v, %+v", err, got)
	}
	return slices.DeleteFunc(report.Sources, func(s listSource) bool { return s.Source != source })
}

// TestListSingle: each source is in the list, with what it needs.
func TestListSingle(t *testing.T) {
	dir := t.TempDir()
	crypto := func(rngs ...string) string {
		text := "name : sha256\ndriver : sha256-generic\ntype : shash\n\n"
		for _, rng := range rngs {
			text += "name : stdrng\ndriver : " + rng + "\nmodule : x\npriority : 100\nselftest : passed\ninternal : no\ntype : rng\nseedsize : 0\n\n"
		}
		return text
	}
	plant(t, dir, map[string]string{"two/crypto": crypto("jitterentropy_rng", "qcom-rng", "drbg_nopr_sha512"), "own/crypto": crypto("drbg_nopr_sha512")})
	t.Run("tty", func(t *testing.T) {
		line := goodLine(t)
		if r := listed(t, "tty", "--tty-device="+line)[0]; !r.Usable || !r.Wanted || r.Device != line || r.Kind != "serial" || r.MinEntropy != 4 {
			t.Errorf("good: %+v", r)
		}
		if r := listed(t, "tty", "--tty-device="+line, "--sources=hwrng")[0]; !r.Usable || r.Wanted {
			t.Errorf("not in sources: %+v", r)
		}
		if r := listed(t, "tty")[0]; r.Usable || r.Wanted || r.Reason != "source tty is not configured" {
			t.Errorf("not configured: %+v", r)
		}
	})
	t.Run("command", func(t *testing.T) {
		mark := filepath.Join(dir, "mark")
		r := listed(t, "command", "--command=/bin/touch,"+mark)[0]
		if _, err := os.Stat(mark); err == nil || !r.Usable || !r.Wanted || r.Device != "/bin/touch" || !strings.Contains(r.Note, "not started for this list") {
			t.Errorf("good: %+v, started: %t", r, err == nil)
		}
		if r := listed(t, "command", "--command=/bin/none")[0]; r.Usable || !strings.Contains(r.Reason, "no such file") || r.Hint == "" {
			t.Errorf("missing: %+v", r)
		}
	})
	t.Run("afalg", func(t *testing.T) {
		rows := listed(t, "afalg", "--procfs="+dir+"/two", "--sources=afalg", "--no-probe")
		if len(rows) != 2 || rows[0].Driver != "qcom-rng" || !rows[0].Current || !rows[0].Wanted || rows[0].Usable != (rows[0].Reason == "") ||
			rows[1].Driver != "jitterentropy_rng" || rows[1].Current || rows[1].Usable || !strings.Contains(rows[1].Reason, "now qcom-rng") {
			t.Errorf("%+v", rows)
		}
		if rows := listed(t, "afalg", "--procfs="+dir+"/own"); len(rows) != 1 || rows[0].Usable || !strings.Contains(rows[0].Reason, "lists only drbg_nopr_sha512") {
			t.Errorf("own output: %+v", rows)
		}
	})
	t.Run("cpu", func(t *testing.T) {
		have := cpu.Probe("/proc")
		rows := listed(t, "cpu", "--sources=cpu")
		for _, r := range rows {
			i := slices.IndexFunc(have, func(f cpu.Finding) bool { return f.Name == r.Driver })
			switch {
			case i < 0 && (len(rows) != 1 || r.Usable || r.Reason == "" || r.Hint == ""):
				t.Errorf("none: %+v", r)
			case i >= 0 && (!r.Wanted || r.Usable && have[i].Missing != "" || r.Usable != r.Current || r.Usable == (r.Reason != "")):
				t.Errorf("%+v of %+v", r, have[i])
			}
		}
		if r := listed(t, "cpu", "--cpu-instruction="+foreign())[0]; r.Usable || !strings.Contains(r.Reason, "it is an instruction of") {
			t.Errorf("foreign: %+v", r)
		}
	})
}

// TestListLineOfTheDaemon: a line that the running daemon has is no mistake.
func TestListLineOfTheDaemon(t *testing.T) {
	line := goodLine(t)
	r := newRig(t, pooltest.Modern(), "sources=tty", "tty-device="+line)
	r.d.start(t.Context())
	defer func() { stopWorkers(r.d.running()) }()
	if err := os.Mkdir(r.dir+"/run", 0o755); err != nil {
		t.Fatal(err)
	}
	socket, err := serveStatus(r.dir+"/run", r.d.status, r.d.log)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	eventually(t, "credit", func() bool { return r.d.status().Credits.Bits["tty"] > 0 })
	row := listed(t, "tty", "--tty-device="+line, "--runtime-dir="+r.dir+"/run")[0]
	if !row.Usable || row.Reason != "the running daemon has it: active" || row.Hint == "" {
		t.Errorf("%+v", row)
	}
	if row := listed(t, "tty", "--tty-device="+line, "--runtime-dir=/nosuch")[0]; row.Usable || !strings.Contains(row.Reason, line+" is in use by ") {
		t.Errorf("of another: %+v", row)
	}
	if got := call(nil, "audit", "tty", "--config=/dev/null", "--tty-device="+line); got.code != exitAlreadyRunning || !strings.Contains(got.stderr, "is in use by ") {
		t.Errorf("audit: %+v", got)
	}
}
