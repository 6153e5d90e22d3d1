//go:build !minimal

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// units writes reports of parts of good data, and returns their names.
func units(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	var names []string
	all := fipstest.G1(5 * 13)
	for i := range 5 {
		at := i * 13 * fips.BlockBytes
		got := auditData(all[at:at+bootBytes+12*fips.BlockBytes], append(args, "--output=json")...)
		names = append(names, fmt.Sprintf("%d.json", i))
		plant(t, dir, map[string]string{names[i]: got.stdout})
	}
	return names
}

// TestAuditMerge: a lot is the sum of its units, and no better than the worst of them.
func TestAuditMerge(t *testing.T) {
	dir := t.TempDir()
	names := units(t, dir, "--assess")
	plant(t, dir, map[string]string{
		"dead.json":  auditData(fipstest.G10(12), "-o", "json", "--label=dead <7>").stdout,
		"few.json":   auditData(fipstest.G1(3), "-o", "json").stdout,
		"again.json": auditData(fipstest.G1(12), "-o", "json", "--label=again").stdout,
		"1401.json":  auditData(fipstest.G1(12), "-o", "json", "--profile=fips140-1").stdout,
		"broken":     `{"schema_version": 1}`, "new": `{"schema_version": 2}`,
	})
	merge := func(args ...string) result {
		return inDir(t, dir, func() result { return auditOf(nil, append([]string{"merge"}, args...)...) })
	}
	for _, tt := range []struct {
		name  string
		files []string
		code  int
		first string
	}{
		{"good", names, exitOK, "PASS  None of 60 blocks failed"},
		{"dead", slices.Concat(names, []string{"dead.json"}), exitFailedTests, "FAIL  1 of 6 units: fail: dead <7>"},
		{"few", slices.Concat(names, []string{"few.json"}), exitTooLittleData, "INSUFFICIENT  1 of 6 units: insufficient: few.json"},
		{"again", slices.Concat(names, []string{"again.json"}), exitFailedTests, "FAIL  The same data from different units: 0.json and again"},
		{"one", names[:1], exitOK, "PASS"},
	} {
		text := merge(tt.files...)
		if text.code != tt.code || !strings.HasPrefix(text.stdout, tt.first) || text.stderr != "" {
			t.Errorf("%s: %+v", tt.name, text)
		}
		golden(t, "audit/merge-"+tt.name+".txt", text.stdout)
		got := merge(append(tt.files, "--output=json", "--html=lot.html", "--junit=lot.xml", "--label=lot 5")...)
		r := parseAudit(t, got.stdout)
		if got.code != tt.code || len(r.Units) != len(tt.files) || r.Input.Kind != "lot" || r.Label != "lot 5" {
			t.Errorf("%s: %+v", tt.name, r.Units)
		}
		for _, file := range []string{"lot.html", "lot.xml"} {
			page, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || !strings.Contains(string(page), "lot 5") || strings.Contains(string(page), "<7>") {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	for _, tt := range []struct{ files, want string }{
		{"0.json 0.json", "cannot merge 0.json: it is the same report as 0.json\nhint: a unit must not count twice"},
		{"0.json 1401.json", "merge reports: 1401.json: judged by profile fips140-1, the lot is by fips140-2"},
		{"broken 0.json", "cannot merge broken: this is no report of an audit: verdict is \"\"\nhint: "},
		{"new", "cannot merge new: this is no report of an audit: schema_version is 2"},
	} {
		if got := merge(strings.Fields(tt.files)...); got.code != exitUsage || !strings.Contains(got.stderr, tt.want) || got.stdout != "" {
			t.Errorf("%s: %+v", tt.files, got)
		}
	}
	if got := merge("1401.json"); got.code != exitOK || !strings.Contains(got.stdout, "profile fips140-1") {
		t.Errorf("the profile of the reports: %+v", got)
	}
}

// TestManyUnits: the text names the worst of a large lot.
func TestManyUnits(t *testing.T) {
	var list []string
	dir := t.TempDir()
	for i := range 30 {
		data := fipstest.S(fmt.Sprint("unit ", i), bootBytes+12*fips.BlockBytes)
		if i == 29 {
			clear(data)
		}
		name := fmt.Sprintf("%02d.json", i)
		plant(t, dir, map[string]string{name: auditData(data, "-o", "json").stdout})
		list = append(list, name)
	}
	got := inDir(t, dir, func() result { return auditOf(nil, append([]string{"merge"}, list...)...) })
	if !strings.Contains(got.stdout, "Units: 1 fail, 29 pass") || !strings.Contains(got.stdout, "\n  29.json      fail ") || !strings.Contains(got.stdout, "\n  and 22 more\n") || strings.Count(got.stdout, "\n") > 45 {
		t.Errorf("%s", got.stdout)
	}
}
