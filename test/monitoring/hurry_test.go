package monitoring

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// speedup divides every duration in the rules for these tests: what takes five minutes takes five seconds.
const speedup = 60

var (
	windows   = regexp.MustCompile(`\[(\d+)([smhd])\]`)
	offsets   = regexp.MustCompile(`\boffset (\d+)([smhd])\b`)
	durations = regexp.MustCompile(`^(\d+)([smhd])$`)
)

// creditFloor is the one duration that is a number: HwrngdNoCredit's least age, in seconds.
const creditFloor = ", 300)"

// shorten divides a duration of Prometheus.
func shorten(number, unit string) string {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err) // the patterns match digits only
	}
	n *= map[string]int{"s": 1, "m": 60, "h": 3600, "d": 86400}[unit] * 1000 / speedup
	return fmt.Sprintf("%dms", n)
}

// hurried rewrites a file of rules for the speedup and returns the path of the copy.
func hurried(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f ruleFile
	if err := yaml.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	replace := func(pattern *regexp.Regexp, in, format string) string {
		return pattern.ReplaceAllStringFunc(in, func(s string) string {
			m := pattern.FindStringSubmatch(s)
			return fmt.Sprintf(format, shorten(m[1], m[2]))
		})
	}
	for g := range f.Groups {
		f.Groups[g].Interval = replace(durations, f.Groups[g].Interval, "%s")
		for i := range f.Groups[g].Rules {
			r := &f.Groups[g].Rules[i]
			r.For = replace(durations, r.For, "%s")
			r.Expr = replace(offsets, replace(windows, r.Expr, "[%s]"), "offset %s")
			r.Expr = strings.ReplaceAll(r.Expr, creditFloor, fmt.Sprintf(", %d)", 300/speedup))
		}
	}
	text, err = yaml.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return copied
}

func TestSpeedupKnowsTheFloor(t *testing.T) {
	if n := strings.Count(readText(t, alertsFile), creditFloor); n != 1 {
		t.Errorf("%q is %d times in %s, want once", creditFloor, n, alertsFile)
	}
}
