package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPackagedConfiguration: /etc/hwrngd.toml as the packages install it is valid, shows every key
// with its default, and sets only where the metrics go.
func TestPackagedConfiguration(t *testing.T) {
	const path = "../../packaging/systemd/hwrngd.toml"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	cfg := mustLoad(t, input(path, nil, nil))
	for i := range options {
		o := &options[i]
		origin := cfg.Origin(o.Name)
		switch {
		case o.Name == "metrics-listen":
			if got := cfg.MetricsListen; len(got) != 1 || got[0].String() != "unix:/run/hwrngd/metrics.sock" {
				t.Errorf("metrics-listen is %v", got)
			}
			continue
		case o.NotInFile:
			continue
		case origin != originDefault:
			t.Errorf("%s is set, by %s", o.Name, origin)
		}
		line := "\n#" + o.Name + " = " + o.tomlForm() + "\n"
		if got := strings.Contains(text, line); got == o.Hidden {
			t.Errorf("the line %q is there: %t", line, got)
		}
	}
	// With all of it switched on it is still valid.
	all := regexp.MustCompile(`(?m)^#([a-z])`).ReplaceAllString(text, "$1")
	mustLoad(t, input(writeConfig(t, all), nil, nil))
}

// TestMigrateNamesRealKeys: what docs/migrate.md tells to write into the file can be written there.
func TestMigrateNamesRealKeys(t *testing.T) {
	data, err := os.ReadFile("../../docs/migrate.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("`([a-z-]+ = [^`]+)`").FindAllStringSubmatch(string(data), -1)
	if len(lines) < 20 {
		t.Fatalf("only %d lines found", len(lines))
	}
	for _, line := range lines {
		if _, err := LoadConfig(input(writeConfig(t, line[1]), nil, nil)); err != nil {
			t.Errorf("%s: %v", line[1], err)
		}
	}
}
