package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func makeFIFO(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no FIFO on this file system: %v", err)
	}
}

// load applies a document to a fresh configuration.
func load(text string) (*Config, problems) {
	cfg := defaultConfig()
	cfg.ConfigFile = "f.toml"
	found := cfg.applyTOML([]byte(text))
	return cfg, found
}

func TestTOMLMistakes(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"unknown key", "\nsorces = \"auto\"", []string{`f.toml:2: unknown key "sorces", did you mean "sources"?`}},
		{"unknown key with underscore", "log_level = \"info\"", []string{`f.toml:1: unknown key "log_level", did you mean "log-level"?`}},
		{"unknown key, nothing near", "frobnicate = 1", []string{`f.toml:1: unknown key "frobnicate"`}},
		{"unknown table, reported once", "\n[frobnicate]\na = 1\nb = 2", []string{`f.toml:2: unknown key "frobnicate"`}},
		{"unknown dotted key", "\n\nfrob.a = 1\nfrob.b = 2", []string{`f.toml:3: unknown key "frob"`}},
		{"unknown list of tables", "[[frob]]\n[[frob]]", []string{`f.toml:2: unknown key "frob"`}},
		{"empty key", "\"\" = 1", []string{`f.toml:1: unknown key ""`}},
		{"hidden keys are not suggested", "allow-file-sources = true", []string{`f.toml:1: unknown key "allow-file-sources"`}},
		{"key that is not for files", "config = \"x\"", []string{`f.toml:1: config cannot be set in a file, use --config or HWRNGD_CONFIG`}},
		{"all mistakes at once", "# comment\nsources = [\n  \"auto\",\n]\nonce = 1\nfrob = 1\n\nlog-level = \"x\"", []string{
			`f.toml:5: once: want true or false without quotes, not a number`,
			`f.toml:6: unknown key "frob"`,
			`f.toml:8: log-level: unknown value "x", want debug, info, warn or error`,
		}},
		{"windows line ends", "\r\nonce = 1\r\n", []string{`f.toml:2: once: want true or false without quotes, not a number`}},
		{"syntax", "sources = [\"a\"\n\nonce = true", []string{`f.toml:3: expected a comma (',') or array terminator (']'), but got 'o'`}},
		{"end in a string", "\nsysfs = \"\\", []string{"f.toml:2: invalid escape in string '\\\x00'"}},
		{"end of line in a table name", "\n[entropy\nhwrng = 4", []string{"f.toml:2: expected '.' or ']' to end table name, but got '\\n' instead"}},
		{"no value", "once =\n", []string{`f.toml:1: expected value but found '\n' instead`}},
		{"key given twice", "once = true\n\nonce = true", []string{`f.toml:3: Key 'once' has already been defined.`}},
		{"not UTF-8", "sysfs = \"\xff\"", []string{`f.toml:1: invalid UTF-8 byte: 0xff`}},

		{"switch in quotes", `monitor = "true"`, []string{`f.toml:1: monitor: want true or false without quotes, not a text`}},
		{"text is a number", `sysfs = 1`, []string{`f.toml:1: sysfs: want a text in quotes, not a number`}},
		{"text is a list", `sysfs = ["/sys"]`, []string{`f.toml:1: sysfs: want a text in quotes, not a list`}},
		{"text is a date", `sysfs = 2026-01-01`, []string{`f.toml:1: sysfs: want a text in quotes, not a date or time`}},
		{"text is a table", "[sysfs]\nx = 1", []string{`f.toml:1: sysfs: want a text in quotes, not a table`}},
		{"text is a list of tables", "[[sysfs]]\nx = 1", []string{`f.toml:1: sysfs: want a text in quotes, not a list`}},
		{"text is empty", `sysfs = ""`, []string{`f.toml:1: sysfs: must not be empty`}},
		{"duration without unit", `refill-interval = 60`, []string{`f.toml:1: refill-interval: a bare number has no unit, write "60s" for seconds`}},
		{"duration with fraction", `refill-interval = 1.5`, []string{`f.toml:1: refill-interval: a bare number has no unit, write "1.5s" for seconds`}},
		{"duration is a switch", `refill-interval = true`, []string{`f.toml:1: refill-interval: want a text in quotes, not true or false`}},
		{"duration out of range", `refill-interval = "2h"`, []string{`f.toml:1: refill-interval: "2h" is out of range, want 1s to 1h`}},
		{"list is a number", `sources = 1`, []string{`f.toml:1: sources: want a list of texts such as ["a", "b"], not a number`}},
		{"list holds a number", `sources = ["hwrng", 1]`, []string{`f.toml:1: sources: want a list of texts such as ["a", "b"], but the list holds a number`}},
		{"list is empty", `sources = []`, []string{`f.toml:1: sources: names no source, known are auto, ` + sourceList}},
		{"element with a comma", `sources = ["hwrng,auto"]`, []string{`f.toml:1: sources: unknown source "hwrng,auto", known are auto, ` + sourceList}},

		{"entropy is a number", `entropy = 4`, []string{`f.toml:1: entropy: want a table such as { hwrng = 4.0 } or a list such as ["hwrng=4.0"], not a number`}},
		{"entropy list holds a number", `entropy = [4]`, []string{`f.toml:1: entropy: want a table such as { hwrng = 4.0 } or a list such as ["hwrng=4.0"], but the list holds a number`}},
		{"entropy text", `entropy = "4"`, []string{`f.toml:1: entropy: "4" is not SOURCE=BITS, want for example hwrng=4.0`}},
		{"entropy table", "[entropy]\nhwrgn = 4\n\nhwrng = 9\n", []string{
			`f.toml:2: entropy.hwrgn: unknown source "hwrgn", did you mean "hwrng"?`,
			`f.toml:4: entropy.hwrng: 9 bits a byte for source "hwrng" is out of range, want above 0 and at most 8`,
		}},
		{"entropy value is a text", `entropy = { hwrng = "4" }`, []string{`f.toml:1: entropy.hwrng: want a number without quotes, not a text`}},
		{"entropy value is a table", "[entropy.hwrng]\nbits = 4", []string{`f.toml:1: entropy.hwrng: want a number without quotes, not a table`}},
		{"entropy nan", `entropy = { hwrng = nan }`, []string{`f.toml:1: entropy.hwrng: "NaN" of source "hwrng" is not a number`}},
		{"entropy inf", `entropy = { hwrng = -inf }`, []string{`f.toml:1: entropy.hwrng: -Inf bits a byte for source "hwrng" is out of range, want above 0 and at most 8`}},

		{"deep key", "\n" + strings.Repeat("a.", 100000) + "b = 1", []string{`f.toml:2: too many dots or braces, a configuration file needs few`}},
		{"deep table", strings.Repeat("a={", 100), []string{`f.toml:1: too many dots or braces, a configuration file needs few`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, found := load(test.text)
			var got []string
			for _, err := range found {
				got = append(got, err.Error())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestTOMLForms(t *testing.T) {
	four := map[string]float64{"hwrng": 4}
	for _, text := range []string{
		`entropy = { hwrng = 4.0 }`, `entropy = { hwrng = 4 }`, "[entropy]\nhwrng = 4.0", `entropy.hwrng = 4`,
		`entropy = ["hwrng=4.0"]`, `entropy = "hwrng = 4"`, "[\"entropy\"]\n'hwrng' = 4e0",
	} {
		cfg, found := load(text)
		if found != nil || len(cfg.Entropy) != 1 || cfg.Entropy["hwrng"] != four["hwrng"] {
			t.Errorf("%q: %v, %v", text, cfg.Entropy, found)
		}
	}
	for _, text := range []string{`hwrng-deny = ["a", "b"]`, `hwrng-deny = "a,b"`, `hwrng-deny = "a , b"`, "hwrng-deny = [ # both\n'a',\n'b',]"} {
		cfg, found := load(text)
		if found != nil || !slices.Equal(cfg.HWRNGDeny, []string{"a", "b"}) {
			t.Errorf("%q: %v, %v", text, cfg.HWRNGDeny, found)
		}
	}
	for _, text := range []string{"", "\ufeff", "# a comment with a lot of dots: " + strings.Repeat(".", 200), "\r\n", "\n\nentropy = {}"} {
		cfg, found := load(text)
		if changed := defaultConfig().Changed(cfg); found != nil || !slices.Equal(changed, []string{"config"}) {
			t.Errorf("%q: %v, %v", text, changed, found)
		}
	}
}

// TestManyMistakes: a file that is something else must not flood the log, nor
// take long.
func TestManyMistakes(t *testing.T) {
	var text bytes.Buffer
	for i := 0; text.Len() < maxConfigSize/4; i++ {
		fmt.Fprintf(&text, "key%d = %d\n", i, i)
	}
	_, found := load(text.String())
	if len(found) != maxProblems+1 || found[maxProblems].Error() != "f.toml: more mistakes, not shown" {
		t.Errorf("%d errors, last %v", len(found), found[len(found)-1])
	}
}

// FuzzTOML: whatever the file holds, the result is mistakes with their lines
// or a valid configuration that survives being printed and read again.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"", "sources = [\"hwrng\"]\n", "[entropy]\nhwrng = 4.0\n", "entropy.hwrng = 1e1\n", "once = 1\nfrob = 2\n",
		"refill-interval = \"90s\"\nmetrics-listen = [\"unix:/run/x\", \"[::1]:0\"]\n", "hwrng-deny = \"a,b\"\nlog-level = \"debug\"",
		"[[entropy]]\n", "a = 2026-01-01\n", "sysfs = \"\"\"\n/s\"\"\"", "\"\".x = 1", "monitor = true\nonce = true",
		"\v", "\"\\",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, found := load(string(data))
		if found != nil {
			for _, err := range found {
				var line int
				if _, scanErr := fmt.Sscanf(err.Error(), "f.toml:%d:", &line); scanErr != nil || line < 1 {
					t.Errorf("%q: no line in %q", data, err)
				}
			}
			return
		}
		checkValid(t, cfg)
		r := &Report{}
		cfg.print(r)
		r.align()
		again, found := load(r.text.String())
		if found != nil {
			t.Fatalf("%q was printed as\n%s\nwhich gives %v", data, r.text.String(), found)
		}
		if changed := cfg.Changed(again); changed != nil {
			t.Fatalf("%q was printed as\n%s\nwhich changes %v", data, r.text.String(), changed)
		}
	})
}

// checkValid checks what the daemon relies on.
func checkValid(t *testing.T, cfg *Config) {
	t.Helper()
	var err error
	if cfg.RefillInterval < time.Second || cfg.RefillInterval > time.Hour {
		err = errors.Join(err, fmt.Errorf("refill interval %v", cfg.RefillInterval))
	}
	for source, bits := range cfg.Entropy {
		if math.IsNaN(bits) || bits <= 0 || bits > 8 || !slices.Contains(knownSources, source) {
			err = errors.Join(err, fmt.Errorf("entropy %s=%v", source, bits))
		}
	}
	for _, address := range cfg.MetricsListen {
		if address.Network != "tcp" && address.Network != "unix" || address.Address == "" {
			err = errors.Join(err, fmt.Errorf("address %+v", address))
		}
	}
	if len(cfg.Sources) == 0 || cfg.Sysfs == "" || cfg.Procfs == "" || cfg.RandomDevice == "" || cfg.HWRNGDevice == "" || cfg.RuntimeDir == "" {
		err = errors.Join(err, fmt.Errorf("empty value in %+v", cfg))
	}
	if err != nil {
		t.Error(err)
	}
}
