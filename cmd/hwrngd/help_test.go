package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHelp(t *testing.T) {
	texts := map[string]result{"hwrngd": call(nil, "help")}
	for _, c := range commands() {
		if c.Absent != "" {
			continue // absent_test.go
		}
		texts[c.Name] = call(nil, c.Name, "--help")
		if other := call(nil, "help", c.Name); other != texts[c.Name] {
			t.Errorf("help %s and %s --help differ", c.Name, c.Name)
		}
		if other := call(nil, c.Name, "-h", "extra", "arguments"); other != texts[c.Name] {
			t.Errorf("%s -h does not win over a wrong argument: %+v", c.Name, other)
		}
	}
	for name, got := range texts {
		t.Run(name, func(t *testing.T) {
			if got.code != exitOK || got.stderr != "" {
				t.Errorf("code %d, stderr %q", got.code, got.stderr)
			}
			for line := range strings.Lines(got.stdout) {
				line = strings.TrimSuffix(line, "\n")
				if utf8.RuneCountInString(line) > helpWidth || strings.TrimRight(line, " ") != line {
					t.Errorf("too long, or blanks at the end: %q", line)
				}
			}
			golden(t, "help/"+name+".txt", got.stdout)
		})
	}
	for _, args := range [][]string{{"--help"}, {"-h"}, {"--help", "run"}} {
		if got := call(nil, args...); got != texts["hwrngd"] {
			t.Errorf("%q is not the overview: %+v", args, got)
		}
	}
	if got := call(nil, "--monitor", "--help"); got != texts["run"] {
		t.Errorf("--help after an option is not that of run: %+v", got)
	}
}

// TestHelpIsComplete: nothing that a user can set is missing.
func TestHelpIsComplete(t *testing.T) {
	run := commandHelp(&commands()[0])
	for i := range options {
		o := &options[i]
		if shown := strings.Contains(run, "--"+o.Name); shown == o.Hidden {
			t.Errorf("option %s: hidden %t, in help %t", o.Name, o.Hidden, shown)
		}
	}
	all := overview()
	for _, c := range commands() {
		if !c.Hidden && !strings.Contains(all, "\n  "+c.Name+" ") {
			t.Errorf("command %s is not in the overview", c.Name)
		}
	}
}

// TestHelpToFullDisk: help is output like any other.
func TestHelpToFullDisk(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"run", "--help"}, {"help", "run"}, {"--version"}, {"version"}, {"version", "--output=json"}} {
		code, stderr := callFull(t, args...)
		if want := "hwrngd: cannot write to standard output: no space left on device\n"; code != exitIO || stderr != want {
			t.Errorf("%q: code %d, stderr %q", args, code, stderr)
		}
	}
}

func TestWrap(t *testing.T) {
	got := strings.Join(wrap("  one two\nthree  averyveryverylongword four ", 9), "|")
	if want := "one two|three|averyveryverylongword|four"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
