//go:build minimal

package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/source/command"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/tpm"
)

// How every web configuration is refused.
const (
	webConfigRefused = "this is the minimal build of hwrngd, which has no TLS and no passwords for the metrics: keep them on " +
		"127.0.0.1 or a unix socket, or use the full build"
	webConfigGone = "this is the minimal build"
)

const sourceList = "hwrng, tty, jitter"

// What the tests have of the full build's sources.
var (
	atHomeFull      []string
	ofThisMachine   = []string{"jitter"}
	machineHeadings = ofThisMachine
	wantedFull      []wantedCase
)

// badSourceValues has every option of an absent source, and every other one that can name it.
var badSourceValues = []badValue{
	{"sources", "hwrng,command", refusedSource("command")},
	{"sources", "afalg", refusedSource("afalg")},
	{"sources", "cpu", refusedSource("cpu")},
	{"sources", "tpm", refusedSource("tpm")},
	{"sources", "tmp", `unknown source "tmp", known are auto, ` + sourceList}, // not "did you mean tpm"
	{"entropy", "cpu=1", refusedSource("cpu")},
	{"failure-rate", "tpm=0.1", refusedSource("tpm")},
	{"command", "/bin/cat,-u", refusedSource("command")},
	{"command-user", "root", refusedSource("command")},
	{"command-group", "plugdev", refusedSource("command")},
	{"afalg-generator", "qcom-rng", refusedSource("afalg")},
	{"cpu-instruction", "rdseed", refusedSource("cpu")},
	{"tpm-device", "/dev/tpm0", refusedSource("tpm")},
}

func refusedSource(name string) string {
	return "this is the minimal build of hwrngd, which has no source " + name + ": leave it out, or use the full build"
}

// TestAbsentSources: commands name a source that is absent, the configuration file has its line, and what the
// full build prints as its defaults is taken.
func TestAbsentSources(t *testing.T) {
	for _, command := range []string{"bench", "capture"} {
		got := call(nil, command, "tpm")
		if want := "hwrngd: " + refusedSource("tpm") + "\nhint: sources: " + sourceList; got.code != exitUsage || !strings.HasPrefix(got.stderr, want) {
			t.Errorf("%s: %+v, want %q", command, got, want)
		}
	}
	for key, text := range map[string]string{"command": `["/bin/cat"]`, "tpm-device": `"/dev/tpm0"`, "sources": `["cpu"]`} {
		path := writeConfig(t, "\n"+key+" = "+text+"\n")
		got := call(nil, "check", "--config="+path)
		if want := path + ":2: " + key + ": this is the minimal build"; got.code != exitUsage || !strings.Contains(got.stderr+got.stdout, want) {
			t.Errorf("%s: %+v, want %q", key, got, want)
		}
	}
	defaults := map[string]string{
		"command": "[]", "command-user": command.DefaultUser, "command-group": "off",
		"afalg-generator": afalg.Auto, "cpu-instruction": cpu.Auto, "tpm-device": tpm.DefaultDevice,
	}
	var file strings.Builder
	for _, o := range fullOptions {
		text := defaults[o.Name]
		if !o.isList() {
			text = strconv.Quote(text)
		}
		file.WriteString(o.Name + " = " + text + "\n")
	}
	if cfg := mustLoad(t, input(writeConfig(t, file.String()), nil, nil)); len(cfg.Warnings) > 0 || len(fullOptions) != len(defaults) {
		t.Errorf("%q, %d options", cfg.Warnings, len(fullOptions))
	}
	if want := []string{command.Name, afalg.Name, cpu.Name, tpm.Name}; !slices.Equal(absentSources, want) {
		t.Errorf("absent are %q, want %q", absentSources, want)
	}
}

// TestAbsentCommands: what only the full build has is named, not unknown.
func TestAbsentCommands(t *testing.T) {
	for _, args := range [][]string{{"audit"}, {"audit", "--rngtest"}, {"audit", "--html=x", "f"}, {"help", "audit"}, {"assess", "f"}, {"assess", "--help"}} {
		name := args[0]
		if name == "help" {
			name = args[1]
		}
		got := call(nil, args...)
		if got.code != exitUsage || got.stdout != "" ||
			!strings.HasPrefix(got.stderr, "hwrngd: this is the minimal build of hwrngd, which has no command \""+name+"\"\nhint: 'hwrngd capture ") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if got := arguments([]string{"/usr/bin/rngtest", "-c", "1"}); len(got) != 1 || got[0] != "audit" {
		t.Errorf("rngtest calls %q", got)
	}
	if got := call(nil, "audti"); strings.Contains(got.stderr, "did you mean") {
		t.Errorf("an absent command is suggested: %+v", got)
	}
}

// TestListenWithoutResolver: names that would have to be looked up are refused while the configuration is read.
func TestListenWithoutResolver(t *testing.T) {
	for address, fits := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:0": true, ":0": true, "localhost:0": true, "unix:/run/x": true, "systemd": true,
		"router.lan:9779": false, "ip6-localhost:1": false,
	} {
		_, err := LoadConfig(input(os.DevNull, nil, map[string][]string{"metrics-listen": {address}}))
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "want an IP address, localhost, or nothing for all") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
