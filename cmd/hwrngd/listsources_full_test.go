//go:build !minimal

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source/cpu"
)

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
