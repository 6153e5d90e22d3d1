package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the real hwrngd when it is called by that
// name, for scripts and for tests of a whole process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hwrngd": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *kit.Update, RequireExplicitExec: true,
		Condition: func(cond string) (bool, error) {
			if cond != "minimal" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return minimal, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or each command takes a second longer under -race
			return nil
		},
	})
}

// result is what a command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// call runs a command in process.
func call(environ []string, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := dispatch(context.Background(), process{
		environ: environ, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr,
	}, args)
	return result{code, stdout.String(), stderr.String()}
}

// golden compares with a file in testdata. Where the minimal build says something else than the full one, it
// has a file of its own.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if minimal {
		path = minimalGolden(path, got)
	}
	kit.Golden(t, path, got)
}

// minimalGolden returns the golden file that the minimal build is compared with: one of its own if there
// is one or, on an update, if it is needed.
func minimalGolden(path, got string) string {
	own := path + ".minimal"
	if *kit.Update {
		_ = os.Remove(own)
		if full, err := os.ReadFile(path); err == nil && string(full) == got {
			return path
		}
		return own
	}
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return path
}

func TestUsageErrors(t *testing.T) {
	const lists = "'hwrngd help run' lists the options\n"
	tests := []struct {
		name string
		args []string
		want string
	}{
		{
			"unknown command",
			[]string{"statsu"},
			"hwrngd: unknown command \"statsu\"\nhint: did you mean 'hwrngd status'? 'hwrngd help' lists the commands\n",
		},
		{
			"unknown command, nothing near",
			[]string{"frobnicate"},
			"hwrngd: unknown command \"frobnicate\"\nhint: 'hwrngd help' lists the commands\n",
		},
		{
			"empty command",
			[]string{""},
			"hwrngd: unknown command \"\"\nhint: 'hwrngd help' lists the commands\n",
		},
		{
			"control characters in a command",
			[]string{"a\x1b[31m\n"},
			"hwrngd: unknown command \"a\\x1b[31m\\n\"\nhint: 'hwrngd help' lists the commands\n",
		},
		{
			"help for an unknown command",
			[]string{"help", "ru"},
			"hwrngd: unknown command \"ru\"\nhint: did you mean 'hwrngd run'? 'hwrngd help' lists the commands\n",
		},
		{
			"unknown option",
			[]string{"--sorces=auto"},
			"hwrngd: unknown option \"--sorces\" of 'hwrngd run'\nhint: did you mean --sources? " + lists,
		},
		{
			"hidden option is not suggested",
			[]string{"--allow-file-sourc"},
			"hwrngd: unknown option \"--allow-file-sourc\" of 'hwrngd run'\nhint: " + lists,
		},
		{
			"unknown short option",
			[]string{"-x"},
			"hwrngd: unknown option \"-x\" of 'hwrngd run'\nhint: " + lists,
		},
		{
			"single dash",
			[]string{"-config", "/x"},
			"hwrngd: unknown option \"-config\" of 'hwrngd run'\nhint: long options have two dashes: --config\n",
		},
		{
			"option of another command",
			[]string{"status", "--monitor"},
			"hwrngd: unknown option \"--monitor\" of 'hwrngd status'\nhint: 'hwrngd help status' lists the options\n",
		},
		{
			"missing value",
			[]string{"run", "--log-level"},
			"hwrngd: --log-level: needs a value, write --log-level=LEVEL\nhint: " + lists,
		},
		{
			"bad output format",
			[]string{"list", "--output=yaml"},
			"hwrngd: --output: must be text or json, not \"yaml\"\nhint: 'hwrngd help list' lists the options\n",
		},
		{
			"bad switch of a command",
			[]string{"check", "--print=maybe"},
			"hwrngd: --print: must be true or false, not \"maybe\"\nhint: 'hwrngd help check' lists the options\n",
		},
		{
			"bad syntax",
			[]string{"--=x"},
			"hwrngd: bad flag syntax: --=x\nhint: " + lists,
		},
		{
			"extra argument",
			[]string{"status", "now"},
			"hwrngd: unexpected argument \"now\"\nhint: 'hwrngd help status' shows its usage\n",
		},
		{
			"command after options",
			[]string{"--monitor", "status"},
			"hwrngd: unexpected argument \"status\"\nhint: the command comes first: hwrngd status [OPTION...]\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := call(nil, test.args...)
			if want := (result{exitUsage, "", test.want}); got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestMistypedShort: "-confg" is -c with the value "onfg", a file that cannot
// be there; the message has to make that plain.
func TestMistypedShort(t *testing.T) {
	got := call(nil, "check", "-confg")
	if got.code != exitUsage || !strings.Contains(got.stderr, "configuration file onfg: no such file") {
		t.Errorf("got %+v", got)
	}
}

// TestBrokenPipe: a reader that went away is an I/O error of the command, not
// death by signal.
func TestBrokenPipe(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(exe)
	cmd.Args = []string{"hwrngd", "version"}
	cmd.Stdout, cmd.Stderr = w, &stderr
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitIO {
		t.Errorf("exit code %d, want %d; state %v", code, exitIO, cmd.ProcessState)
	}
	if want := "hwrngd: cannot write to standard output: broken pipe\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}
