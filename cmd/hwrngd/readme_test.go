//go:build !minimal

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/spf13/pflag"
)

var (
	readmeCode     = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	readmeTOML     = regexp.MustCompile("(?s)```toml\n(.*?)```")
	readmeCommand  = regexp.MustCompile(`\bhwrngd ([a-z]+)`)
	readmeOption   = regexp.MustCompile(`(?:^|[\s=` + "`" + `])--?([a-zA-Z][a-zA-Z0-9-]*)`)
	readmeVariable = regexp.MustCompile(`HWRNGD_[A-Z_]+`)
	readmeExits    = regexp.MustCompile(`(?s)Exit codes: (.*?)\n\n`)
)

// TestReadme: every command, option, variable, key and exit code that README.md names exists, and it
// names every command.
func TestReadme(t *testing.T) {
	text := kit.ReadFile(t, "../../README.md")
	var named []string
	for _, code := range readmeCode.FindAllString(text, -1) {
		if readmeTOML.MatchString(code) {
			continue // loaded below
		}
		for _, m := range readmeCommand.FindAllStringSubmatch(code, -1) {
			named = append(named, m[1])
			if _, err := findCommand(m[1]); err != nil {
				t.Errorf("%s: %v", code, err)
			}
		}
		for _, m := range readmeOption.FindAllStringSubmatch(code, -1) {
			if !anyCommandTakes(m[1]) {
				t.Errorf("%s: no command has an option %s", code, m[1])
			}
		}
		for _, name := range readmeVariable.FindAllString(code, -1) {
			known := slices.ContainsFunc(options, func(o Option) bool { return o.envName() == name })
			if name != envPrefix && !known {
				t.Errorf("%s: no option has the variable %s", code, name)
			}
		}
	}
	for _, c := range commands() {
		if !c.Hidden && !slices.Contains(named, c.Name) {
			t.Errorf("README.md does not name hwrngd %s", c.Name)
		}
	}
	for _, m := range readmeTOML.FindAllStringSubmatch(text, -1) {
		if _, err := LoadConfig(input(writeConfig(t, m[1]), nil, nil)); err != nil {
			t.Errorf("%v in\n%s", err, m[1])
		}
	}
	exits := readmeExits.FindStringSubmatch(text)
	if exits == nil {
		t.Fatal("no exit codes")
	}
	for _, word := range strings.Fields(exits[1]) {
		code, err := strconv.Atoi(word)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(exitMeanings, func(m struct {
			code    int
			meaning string
		},
		) bool {
			return m.code == code
		}) {
			t.Errorf("no exit code %d", code)
		}
	}
}

// anyCommandTakes tells whether some command has an option of that long or short name.
func anyCommandTakes(name string) bool {
	return slices.ContainsFunc(commands(), func(c Command) bool {
		inv := &Invocation{Command: &c}
		found := false
		c.flagSet(inv).VisitAll(func(f *pflag.Flag) { found = found || f.Name == name || f.Shorthand == name })
		return found
	})
}

// TestReadmePatterns: the test above would see a mistake.
func TestReadmePatterns(t *testing.T) {
	if !anyCommandTakes("refill-interval") || !anyCommandTakes("print") || !anyCommandTakes("c") || anyCommandTakes("refil-interval") {
		t.Error("options are not told apart")
	}
	for code, want := range map[string]string{"`make run ARGS=--monitor`": "monitor", "`--print`": "print", "`hwrngd list -o json`": "o"} {
		if m := readmeOption.FindStringSubmatch(code); m == nil || m[1] != want {
			t.Errorf("%s: found %q", code, m)
		}
	}
}
