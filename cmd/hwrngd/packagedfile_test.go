//go:build !minimal

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// TestPackagedConfiguration: the configuration file of the packages is valid, shows every key with its
// default, and sets nothing but where the metrics go under systemd.
func TestPackagedConfiguration(t *testing.T) {
	for _, test := range []struct {
		args   []string
		listen string
	}{
		{[]string{"config"}, "127.0.0.1:9779"},
		{[]string{"config", "--systemd"}, "unix:" + packagedSocket},
	} {
		printed := call(nil, test.args...)
		if printed.code != exitOK || printed.stderr != "" {
			t.Fatalf("%q: %+v", test.args, printed)
		}
		path := writeConfig(t, printed.stdout)
		cfg := mustLoad(t, input(path, nil, nil))
		if got := cfg.MetricsListen; len(got) != 1 || got[0].String() != test.listen {
			t.Errorf("%q: metrics-listen is %v", test.args, got)
		}
		for i := range options {
			o := &options[i]
			if o.NotInFile || o.Name == "metrics-listen" {
				continue
			}
			if origin := cfg.Origin(o.Name); origin != originDefault {
				t.Errorf("%q: %s is set, by %s", test.args, o.Name, origin)
			}
			if got := strings.Contains(printed.stdout, "\n#"+o.Name+" = "); got == o.Hidden {
				t.Errorf("%q: %s is there: %t", test.args, o.Name, got)
			}
		}
	}
	// What the comments say is so: with all of it switched on nothing changes.
	all := regexp.MustCompile(`(?m)^#([a-z])`).ReplaceAllString(call(nil, "config").stdout, "$1")
	cfg, plain := mustLoad(t, input(writeConfig(t, all), nil, nil)), mustLoad(t, input(os.DevNull, nil, nil))
	changed := slices.DeleteFunc(plain.Changed(cfg), func(name string) bool { return name == "config" })
	if len(changed) > 0 {
		t.Errorf("not the defaults: %q", changed)
	}
}

// TestPackagedSocket: the units agree with the configuration on the socket.
func TestPackagedSocket(t *testing.T) {
	unit := kit.ReadFile(t, "../../packaging/systemd/hwrngd-metrics.service")
	if !strings.Contains(unit, " "+packagedSocket+"\n") {
		t.Errorf("hwrngd-metrics.service does not connect to %s", packagedSocket)
	}
}

// TestMigrateNamesRealKeys: what docs/migrate.md tells to write into the file can be written there.
func TestMigrateNamesRealKeys(t *testing.T) {
	data := kit.ReadFile(t, "../../docs/migrate.md")
	lines := regexp.MustCompile("`([a-z-]+ = [^`]+)`").FindAllStringSubmatch(data, -1)
	if len(lines) < 20 {
		t.Fatalf("only %d lines found", len(lines))
	}
	for _, line := range lines {
		if _, err := LoadConfig(input(writeConfig(t, line[1]), nil, nil)); err != nil {
			t.Errorf("%s: %v", line[1], err)
		}
	}
}

// TestSourcesPage: each example of docs/sources.md is a valid configuration, and each source has its section
// there.
func TestSourcesPage(t *testing.T) {
	data := kit.ReadFile(t, "../../docs/sources.md")
	examples := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(data, -1)
	if len(examples) < 6 {
		t.Fatalf("only %d examples found", len(examples))
	}
	for _, example := range examples {
		cfg, err := LoadConfig(input(writeConfig(t, example[1]), nil, nil))
		if err != nil || len(cfg.Warnings) > 0 {
			t.Errorf("%s: %v", example[1], err)
		}
	}
	for _, k := range sourceKinds {
		if !strings.Contains(data, "\n| "+k.name+" | ") {
			t.Errorf("no row of %s", k.name)
		}
	}
	for i := range singleOptions {
		if name := singleOptions[i].Name; !strings.Contains(data, name) {
			t.Errorf("nothing of %s", name)
		}
	}
}
