package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// What is wrong with a configuration is said before anything starts: the place, the value, and
// where there is one the way out.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		file  string
		env   []string
		args  []string
		parts []string // CONFIG stands for the path of the file
	}{
		{
			name: "unknown key", file: "sources = [\"hwrng\"]\n\nrefil-interval = \"1m\"\n",
			parts: []string{"CONFIG:3: ", `unknown key "refil-interval"`, `did you mean "refill-interval"?`, "hint:"},
		},
		{name: "syntax", file: "monitor = true\nsources = [\n", parts: []string{"CONFIG:"}},
		{name: "wrong type", file: "monitor = \"yes\"\n", parts: []string{"CONFIG:1: monitor: want true or false"}},
		{
			name: "out of range in the file", file: "\nrefill-interval = \"2h\"\n",
			parts: []string{"CONFIG:2: refill-interval: ", "out of range, want 1s to 1h"},
		},
		{
			name: "out of range on the command line", args: []string{"--refill-interval", "10ms"},
			parts: []string{"--refill-interval: ", "out of range, want 1s to 1h"},
		},
		{
			name: "out of range in the environment", env: []string{"HWRNGD_ENTROPY=hwrng=8.5"},
			parts: []string{"HWRNGD_ENTROPY: ", "8.5 bits a byte", "out of range"},
		},
		{
			name: "several mistakes at once", file: "log-level = \"loud\"\n", args: []string{"--log-format", "xml"},
			parts: []string{"CONFIG:1: log-level", "--log-format: ", "want auto, console, json, journal or procd"},
		},
		{
			name: "unknown source", args: []string{"--sources", "hwrgn"},
			parts: []string{`--sources: unknown source "hwrgn", did you mean "hwrng"?`},
		},
		{
			name: "unknown source that is like none", args: []string{"--sources", "lavalamp"},
			parts: []string{`unknown source "lavalamp", known are auto, hwrng`},
		},
		{
			name: "unknown option", args: []string{"--moniter"},
			parts: []string{`unknown option "--moniter"`, "did you mean --monitor?"},
		},
		{
			name: "bad address", args: []string{"--metrics-listen", "9779"},
			parts: []string{`"9779" is not an address`, "127.0.0.1:9779"},
		},
		{
			name: "name that would switch everything off", args: []string{"--hwrng-select", "none"},
			parts: []string{"--hwrng-select: ", "would switch every hardware generator off"},
		},
		{
			name: "selected and denied", args: []string{"--hwrng-select", "a.rng", "--hwrng-deny", "a.rng"},
			parts: []string{`generator "a.rng" is selected (--hwrng-select) and denied (--hwrng-deny)`},
		},
		{name: "argument", args: []string{"now"}, parts: []string{`unexpected argument "now"`}},
		{name: "command in the wrong place", args: []string{"status"}, parts: []string{"the command comes first: hwrngd status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.write(b.config, c.file)
			b.env = c.env
			var parts []string
			for _, part := range c.parts {
				parts = append(parts, strings.ReplaceAll(part, "CONFIG", b.config))
			}
			b.refused(2, parts, c.args...)
			if _, err := os.Stat(b.runtime); err == nil {
				t.Error("it began to run: the runtime directory exists")
			}
			// The command that only checks says the same.
			if len(c.args) == 0 || strings.HasPrefix(c.args[0], "--") {
				r := b.exec("check", c.args...)
				if r.code != 2 {
					t.Errorf("check: exit code %d, want 2", r.code)
				}
				mustContain(t, r.stderr, parts...)
			}
		})
	}
}

func TestUnreadableConfiguration(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config = filepath.Join(b.dir, "missing.toml")
	b.refused(2, []string{"cannot read configuration file " + b.config, "no such file", "hint: the file is named by --config"})
	b.config = b.dir
	b.refused(2, []string{"cannot read configuration file " + b.config, "not a regular file"})
	// The file of an unprivileged user's start is in TestUnprivilegedUser.
}

// Levels: the file, over it the environment, over that the command line.
func TestCheckShowsOrigins(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(b.config, "refill-interval = \"90s\"\nlog-level = \"debug\"\nmonitor = true\n")
	b.env = []string{"HWRNGD_LOG_LEVEL=warn", "HWRNGD_MONITOR=false"}
	r := b.exec("check", "--print", "--monitor")
	if r.code != 0 {
		t.Fatalf("exit code %d:\n%s", r.code, r.stderr)
	}
	for _, want := range [][3]string{
		{"refill-interval", `"90s"`, b.config + ":1"},
		{"log-level", `"warn"`, "HWRNGD_LOG_LEVEL"},
		{"monitor", "true", "--monitor"},
		{"sources", `["hwrng"]`, "HWRNGD_SOURCES"},
		{"hwrng-select", `"keep"`, "default"},
	} {
		found := false
		for line := range strings.Lines(r.stdout) {
			fields := strings.Fields(line)
			found = found || len(fields) == 5 && fields[0] == want[0] && fields[2] == want[1] && fields[4] == want[2]
		}
		if !found {
			t.Errorf("no line %q in:\n%s", want, r.stdout)
		}
	}
}

// A daemon whose device is the sort of file that can never be a source does not start; one whose
// device is only missing does.
func TestDeviceOfWrongSort(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.device = b.dir
	b.refused(2, []string{b.dir + " cannot be a source: it is a directory"})
	b.device = filepath.Join(b.dir, "log")
	b.write(b.device, "")
	b.refused(2, []string{"regular file"})
}

// A status is of use also before the first start.
func TestStatusWithoutDaemon(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fakeProcfs(modernPool)
	r := b.exec("status")
	if r.code != 0 { // the kernel of this machine is seeded
		t.Errorf("exit code %d, want 0", r.code)
	}
	mustContain(t, r.stdout, "hwrngd is not running", "not running")
	if r := b.exec("status", "--output", "json"); !strings.Contains(r.stdout, `"daemon": null`) {
		t.Errorf("no null for the daemon in:\n%s", r.stdout)
	}
}
