//go:build !minimal

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/audit/rngtest"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

func TestArguments(t *testing.T) {
	for _, test := range []struct{ argv, want string }{
		{"", ""},
		{"hwrngd", ""},
		{"/usr/sbin/hwrngd status -o json", "status -o json"},
		{"rngtest", "audit --rngtest"},
		{"/usr/bin/rngtest -c 1000", "audit --rngtest -c 1000"},
		{"rngtest5 -c 1000", "-c 1000"},
	} {
		if got := arguments(strings.Fields(test.argv)); strings.Join(got, " ") != test.want {
			t.Errorf("%q: %q, want %q", test.argv, got, test.want)
		}
	}
}

func TestCutRngtest(t *testing.T) {
	for _, test := range []struct {
		args, want string
		ok         bool
	}{
		{"--rngtest", "", true},
		{"-c 5 --rngtest -p file", "-c 5 -p file", true},
		{"--rngtest --rngtest", "--rngtest", true},
		{"--rngtests", "--rngtests", false},
		{"-- --rngtest", "-- --rngtest", false},
		{"file", "file", false},
	} {
		given := strings.Fields(test.args)
		got, ok := cutRngtest(slices.Clone(given))
		if strings.Join(got, " ") != test.want || ok != test.ok {
			t.Errorf("%q: %q, %v; want %q, %v", test.args, got, ok, test.want, test.ok)
		}
	}
}

func TestRngtest(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		kit.WriteFile(t, path, data, 0o600)
		return path
	}
	goodFile := file("good", fipstest.G1(3))
	badFile := file("bad", fipstest.G2())
	missing := filepath.Join(dir, "missing")
	const hint = "\nhint: 'hwrngd audit --rngtest --help' lists the options\n"
	for _, test := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // what is in them; "" means nothing at all
	}{
		{"good", []string{goodFile}, exitOK, "", "rngtest: FIPS 140-2 successes: 3\n"},
		{"bad", []string{badFile}, exitFailedTests, "", "rngtest: FIPS 140-2(2001-10-10) Long run: 1\n"},
		{"options keep rngtest's meaning", []string{"-b", "2", "-c", "2", "-t", "9", badFile}, exitOK, "", "rngtest: bits received from input: 40032\n"},
		{"banner", []string{goodFile}, exitOK, "", "rngtest of hwrngd " + buildVersion().Version + "\n\nrngtest: starting FIPS tests...\n"},
		{"standard input", nil, exitFailedTests, "", "rngtest: entropy source drained\n"},
		{"standard input by its name", []string{"-"}, exitFailedTests, "", "rngtest: entropy source drained\n"},
		{"no such file", []string{missing}, rngtestIO, "", "rngtest: cannot open " + missing + ": no such file or directory\n"},
		{"not a file to read", []string{dir}, exitFailedTests, "", "rngtest: error reading input: Is a directory\n"},
		{"unknown option", []string{"--output", "json"}, rngtestUsage, "", "rngtest: unknown option --output" + hint},
		{"control characters", []string{"-c", "\x1b[1m"}, rngtestUsage, "", `"\x1b[1m"` + hint},
		{"help", []string{"--help"}, exitOK, rngtestHelp, ""},
		{"usage", []string{"--usage"}, exitOK, rngtestSynopsis, ""},
		{"version", []string{"-V"}, exitOK, "rngtest of hwrngd " + buildVersion().Version + "\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := call(nil, append([]string{"audit", "--rngtest"}, test.args...)...)
			if got.code != test.code || !holds(got.stdout, test.stdout) || !holds(got.stderr, test.stderr) {
				t.Errorf("got %+v\nwant %+v", got, test)
			}
		})
	}
}

// holds tells whether part is in text, and whether text is empty if part is.
func holds(text, part string) bool {
	if part == "" {
		return text == ""
	}
	return strings.Contains(text, part)
}

// TestRngtestHelp: the options that help explains are there.
func TestRngtestHelp(t *testing.T) {
	options := regexp.MustCompile(`(-\S)?,?\s+--([a-z]+)(=N)?  `).FindAllStringSubmatch(rngtestHelp, -1)
	if len(options) != 7 {
		t.Errorf("help explains %d options: %q", len(options), options)
	}
	for _, o := range options {
		long := "--" + o[2]
		if o[3] != "" {
			long += "=7"
		}
		byLong, err := rngtest.Parse([]string{long})
		if err != nil || byLong == (rngtest.Options{}) {
			t.Errorf("%s: %+v, %v", long, byLong, err)
		}
		if o[1] == "" {
			continue
		}
		byShort, err := rngtest.Parse([]string{o[1], "7"}[:1+len(o[3])/2])
		if err != nil || byShort != byLong {
			t.Errorf("%s: %+v, %v; %s: %+v", o[1], byShort, err, long, byLong)
		}
	}
}

// TestRngtestStopsInOpen: a FIFO that nobody writes to.
func TestRngtestStopsInOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := dispatch(ctx, process{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}, []string{"audit", "--rngtest", path})
	if want := "rngtest: cannot open " + path + ": context canceled\n"; code != rngtestIO || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q, want %q", code, stderr.String(), want)
	}
	// Let the open end.
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}

func TestReadsAhead(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if readsAhead(null) || !readsAhead(r) {
		t.Errorf("device %v, pipe %v; want false, true", readsAhead(null), readsAhead(r))
	}
}
