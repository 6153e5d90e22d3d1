package metrics

import (
	"go/parser"
	"go/token"
	"log/slog"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCatalogue(t *testing.T) {
	if len(Catalogue) != int(ExportErrors)+1 {
		t.Fatalf("%d entries for %d IDs", len(Catalogue), ExportErrors+1)
	}
	validName := regexp.MustCompile(`^hwrngd_[a-z][a-z0-9_]*[a-z]$`)
	validLabel := regexp.MustCompile(`^[a-z][a-z_]*$`)
	seen := make(map[string]bool)
	for i, d := range Catalogue {
		if !validName.MatchString(d.Name) || seen[d.Name] {
			t.Errorf("entry %d: name %q is malformed or repeated", i, d.Name)
		}
		seen[d.Name] = true
		if !strings.HasSuffix(d.Help, ".") || strings.ContainsAny(d.Help, "|\n") {
			t.Errorf("%s: help %q is no sentence that fits into a table", d.Name, d.Help)
		}
		base, total := strings.CutSuffix(d.Name, "_total")
		if total != (d.Type == Counter) {
			t.Errorf("%s: only counters end in _total, and all do", d.Name)
		}
		if strings.HasSuffix(base, "_info") != (d.Type == Info) {
			t.Errorf("%s: only info metrics end in _info, and all do", d.Name)
		}
		if unit := unitOf(base); unit != d.Unit {
			t.Errorf("%s: the name says unit %q, the entry %q", d.Name, unit, d.Unit)
		}
		if (d.Type == Histogram) != (d.Buckets != nil) || !slices.IsSorted(d.Buckets) {
			t.Errorf("%s: buckets %v", d.Name, d.Buckets)
		}
		for j, l := range d.Labels {
			if !validLabel.MatchString(l.Name) {
				t.Errorf("%s: label %q", d.Name, l.Name)
			}
			if l.Name == "source" && j != 0 {
				t.Errorf("%s: the label source must come first", d.Name)
			}
			if l.Values == nil && l.Name != "source" && d.Type != Info {
				t.Errorf("%s: label %s is open, which only info metrics may have", d.Name, l.Name)
			}
		}
	}
}

// unitOf returns the unit in which a metric's name ends.
func unitOf(name string) string {
	for _, unit := range []string{"bits", "bytes", "seconds", "ratio"} {
		if strings.HasSuffix(name, "_"+unit) {
			return unit
		}
	}
	return ""
}

func TestFIPSChancesCoverTheLabel(t *testing.T) {
	got := slices.Sorted(maps.Keys(FIPSChances()))
	want := slices.Sorted(slices.Values(Catalogue[FIPSFalseAlarm].Labels[0].Values))
	if !slices.Equal(got, want) {
		t.Errorf("chances for %v, label values %v", got, want)
	}
	for test, p := range FIPSChances() {
		if p <= 0 || p > 1e-3 {
			t.Errorf("%s: chance %g", test, p)
		}
	}
}

func TestLogLevel(t *testing.T) {
	for level, want := range map[slog.Level]string{
		-8: "debug", slog.LevelDebug: "debug", -1: "debug",
		slog.LevelInfo: "info", 3: "info",
		slog.LevelWarn: "warn", 7: "warn",
		slog.LevelError: "error", 12: "error",
	} {
		if got := LogLevels[LogLevel(level)]; got != want {
			t.Errorf("level %d counts as %s, want %s", level, got, want)
		}
	}
}

// The minimal build uses this package without any metrics library.
func TestNoThirdPartyImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if strings.Contains(path, ".") && !strings.HasPrefix(path, "github.com/hwrngd/hwrngd/") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
