package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// auditCommand finds the command lines of a page that call the audit, as root or not.
var auditCommand = regexp.MustCompile(`(?m)^[#$] (.*\bhwrngd audit\b[^#\n]*)`)

// Every example of the documentation works as it stands, where there are such files.
func TestAuditExamples(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.data("capture.bin", streamBytes(40), good())
	b.data("hwrng", streamBytes(1000), good())
	b.env = []string{"HWRNGD_HWRNG_DEVICE=" + filepath.Join(b.dir, "hwrng"), "HWRNGD_CONFIG=/dev/null"}
	for i, name := range []string{"a.json", "b.json", "SN0001.json", "SN0002.json"} {
		file := b.data("unit", streamBytes(20), &stream{label: name, counter: uint64(i)})
		b.write(filepath.Join(b.dir, name), b.audit(nil, file, "--output=json").ends().stdout)
	}
	found := 0
	for _, page := range []string{"README.md", "docs/audit.md", "docs/production.md"} {
		text := kit.ReadFile(t, filepath.Join("../..", page))
		for _, m := range auditCommand.FindAllStringSubmatch(text, -1) {
			found++
			// There is no such device here; what ttys need has tests of its own.
			line := strings.ReplaceAll(m[1], "/dev/ttyACM0", "capture.bin")
			got := b.shell(line)
			if got.code != 0 && (got.code != 65 || !strings.Contains(line, "--blocks 4000")) {
				t.Errorf("%s: %s: exit code %d\n%s%s", page, m[1], got.code, got.stdout, got.stderr)
			}
		}
	}
	if found < 9 {
		t.Errorf("only %d examples found", found)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "report.html")); err != nil {
		t.Error(err)
	}
}

// shell runs a command line in the bench's directory, where hwrngd is the program under test.
func (b *bench) shell(line string) result {
	b.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = b.dir
	cmd.Env = append([]string{"PATH=" + kit.Dir() + ":" + os.Getenv("PATH")}, b.env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code says it
	return result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// The script of docs/production.md decides on units.
func TestProductionScript(t *testing.T) {
	t.Parallel()
	kit.NeedTool(t, "sh")
	script, err := filepath.Abs("../../docs/production.sh")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	reports := filepath.Join(b.dir, "reports")
	if err := os.Mkdir(reports, 0o755); err != nil {
		t.Fatal(err)
	}
	b.data("good", streamBytes(1000), good())
	b.data("dead", streamBytes(1000), stuck(0xff))
	b.data("few", streamBytes(50), good())
	for _, tt := range []struct {
		env, args string
		code      int
		says      string
		report    string // its verdict
	}{
		{"", "SN1 good", 0, "SN1: pass\n", "pass"},
		{"", "SN2 dead", 1, "SN2: REJECT, the generator is at fault; see SN2.html\n", "fail"},
		{"", "SN3 few", 1, "SN3: the first audit does not decide\nSN3: the second audit does not decide\nSN3: REJECT, no decision after two audits; see SN3.html\n", "insufficient"},
		{"BLOCKS=10 ", "SN4 good", 0, "SN4: the first audit does not decide\nSN4: pass\n", "pass"},
		{"", "SN5 missing", 2, "SN5: NOT TESTED, hwrngd audit ended with code 66\n", ""},
		{"", "../SN6 good", 2, "", ""},
		{"", "", 2, "", ""},
		{"REPORTS=none ", "SN7 good", 2, "SN7: NOT TESTED, hwrngd audit ended with code 2\n", ""},
	} {
		got := b.shell("REPORTS=reports; " + tt.env + "export REPORTS BLOCKS; sh " + script + " " + tt.args)
		if got.code != tt.code || got.stdout != tt.says || (tt.code == 2) != (got.stderr != "") {
			t.Errorf("%s: exit code %d, %q, %s", tt.args, got.code, got.stdout, got.stderr)
		}
		serial, _, _ := strings.Cut(tt.args, " ")
		text, _ := os.ReadFile(filepath.Join(reports, serial+".json"))
		if tt.report == "" && text != nil || !strings.Contains(string(text), tt.report) || tt.report != "" && !strings.Contains(string(text), `"label": "`+serial+`"`) {
			t.Errorf("%s: report %.200s", tt.args, text)
		}
	}
	left, err := filepath.Glob(reports + "/*.part")
	if err != nil || len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	lot := b.shell("hwrngd audit merge reports/SN1.json reports/SN4.json --html lot.html")
	if lot.code != 0 {
		// The second unit has the first 40 blocks of the same data, which are other data.
		t.Errorf("lot: exit code %d, %s%s", lot.code, lot.stdout, lot.stderr)
	}
}
