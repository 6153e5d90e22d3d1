//go:build !minimal

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// How a web configuration is refused that has no absolute path, and one that is not there.
const (
	webConfigRefused = `"web.yml" is not an absolute path, want one that starts with /, or "off"`
	webConfigGone    = "gone.yml: no such file"
)

// TestWebConfigIsVetted: mistakes in it are those of the configuration.
func TestWebConfigIsVetted(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"good.yml": "rate_limit:\n  interval: 1s\n  burst: 5\n", "bad.yml": "users: {}\n"})
	for _, c := range []struct {
		file, text, hint string
		level            string
		code             int
	}{
		{"good.yml", "/good.yml", "", "ok", exitOK},
		{"bad.yml", "field users not found", "exporter-toolkit", "error", exitUsage},
		{"gone.yml", "no such file", "must be able to read", "error", exitUsage},
	} {
		cfg := &Config{WebConfig: filepath.Join(dir, c.file)}
		f := checkWebConfig(cfg)
		if f.Level != c.level || !strings.Contains(f.Text, c.text) || !strings.Contains(f.Hint, c.hint) || f.code != c.code {
			t.Errorf("%s: found %+v", c.file, f)
		}
		if err := vet(cfg); (err == nil) != (c.code == exitOK) || err != nil && exitCode(err) != c.code {
			t.Errorf("%s: vetted as %v", c.file, err)
		}
	}
	if err := vet(&Config{}); err != nil {
		t.Errorf("none: %v", err)
	}
}
