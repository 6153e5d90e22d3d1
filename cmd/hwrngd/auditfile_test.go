//go:build !minimal

package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestReportFiles: a report takes the place of an older one, everybody may read it, and nothing else
// is touched.
func TestReportFiles(t *testing.T) {
	for _, option := range []string{"html", "junit"} {
		dir := t.TempDir()
		path, link := filepath.Join(dir, "report"), filepath.Join(dir, "link")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, path, link} { // new, over its own, through a link
			got := auditData(fipstest.G1(20), "--"+option+"="+name)
			if got.code != exitOK || got.stderr != "" {
				t.Fatalf("--%s=%s: %+v", option, name, got)
			}
			info, err := os.Lstat(path)
			if err != nil || info.Mode() != 0o644 || info.Size() < 1000 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 2 {
				t.Errorf("left: %v", entries)
			}
		}
		if target, err := os.Readlink(link); err != nil || target != path {
			t.Errorf("the link leads to %q, %v", target, err)
		}
		if got := auditData(fipstest.G1(20), "--"+option+"=/dev/null"); got.code != exitOK {
			t.Errorf("%+v", got)
		}
		if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
			t.Fatalf("/dev/null is %v, %v", info.Mode(), err)
		}
		// The data themselves, named by mistake.
		data := dataFile(t, fipstest.G1(20))
		if got := auditOf(nil, "--"+option, data); got.code != exitUsage {
			t.Errorf("%+v", got)
		}
		if left, err := os.ReadFile(data); err != nil || string(left) != string(fipstest.G1(20)) {
			t.Errorf("the data are lost: %v", err)
		}
		// A report that is not finished leaves the older one.
		before, _ := os.ReadFile(path)
		if got := auditOf(nil, "--"+option+"="+path, "/none"); got.code != exitNoInput {
			t.Errorf("%+v", got)
		}
		if got := auditData(nil, "--"+option+"="+path, "--tee="+data); got.code != exitUsage {
			t.Errorf("%+v", got)
		}
		after, _ := os.ReadFile(path)
		if entries, _ := os.ReadDir(dir); string(before) != string(after) || len(entries) != 2 {
			t.Errorf("changed, or left: %v", entries)
		}
	}
}

// TestJUnit: a suite fails exactly where the exit code is not 0.
func TestJUnit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		data   []byte
		failed string // cases
	}{
		{"good", fipstest.G1(100), ""},
		{"few", fipstest.G1(2), "verdict"},
		{"dead", fipstest.G10(20), "verdict any test monobit poker runs"},
	} {
		path := filepath.Join(t.TempDir(), "x.xml")
		got := auditData(tt.data, "--junit="+path, "--label=a \"b\" <c> & \x01 ü\n", "--blocks=20")
		text := kit.ReadFile(t, path)
		var suite junitSuite
		if err := xml.Unmarshal([]byte(text), &suite); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var failed []string
		for _, c := range suite.Cases {
			if c.Failure != nil {
				failed = append(failed, c.Name)
				if c.Failure.Message == "" || c.Failure.Type == "" {
					t.Errorf("%s: %+v", c.Name, c.Failure)
				}
			}
		}
		if !strings.HasPrefix(strings.Join(failed, " "), tt.failed) || (len(failed) == 0) != (got.code == exitOK) || suite.Failures != len(failed) || suite.Tests != len(suite.Cases) || len(suite.Cases) < 7 {
			t.Errorf("%s: code %d, failed %q; %s", tt.name, got.code, failed, text)
		}
		if want := "hwrngd audit: a \"b\" <c> & \uFFFD ü\n"; suite.Name != want || suite.Properties[0] != (junitProperty{"label", want[len("hwrngd audit: "):]}) {
			t.Errorf("%q, %+v", suite.Name, suite.Properties)
		}
	}
}

// TestJUnitTiming: times are of devices only.
func TestJUnitTiming(t *testing.T) {
	r := audit.Judge(audit.NewMeter(audit.MeterOptions{}).Finish(), audit.Rules{})
	for _, timing := range []*audit.Timing{nil, {Seconds: 1.25}} {
		r.Timing = timing
		text, err := junit(r)
		if err != nil || strings.Contains(string(text), `time="1.250" timestamp="0001-`) != (timing != nil) || strings.Contains(string(text), `time="0"`) != (timing == nil) {
			t.Errorf("%s, %v", text, err)
		}
	}
}
