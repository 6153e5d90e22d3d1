package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// withoutUCI are the options that OpenWrt's /etc/config/hwrngd does not have, with the reason.
var withoutUCI = map[string]string{
	"once":              "a daemon that ends is started again",
	"require-source":    "likewise",
	"log-format":        "the init script knows who reads the log",
	"config":            "the init script makes it",
	"runtime-dir":       "likewise",
	"sysfs":             "OpenWrt has it in one place",
	"procfs":            "likewise",
	"random-device":     "likewise",
	"allow-file-source": "for tests",
	"sandbox":           "the init script has a jail, and without one it stays on",
	"command":           "a jail shows no programs",
	"command-user":      "likewise",
	"command-group":     "likewise",
	"afalg-generator":   "auto takes the right one",
	"cpu-instruction":   "likewise",
	"tpm-device":        "OpenWrt has it in one place",
}

// uciTable is a line of the table of options in docs/openwrt.md.
var uciTable = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (option|list) \\| (?:`([^`]*)`|(none)) \\|")

// uciLine is an option in OpenWrt's configuration file, in use or commented out.
var uciLine = regexp.MustCompile(`(?m)^\t#?(option|list) ([a-z_]+) '([^']*)'$`)

// packagedUCI reads a file of the OpenWrt package.
func packagedUCI(t *testing.T, name string) string {
	t.Helper()
	return kit.ReadFile(t, "../../packaging/openwrt/files/"+name)
}

// uciOptions returns the kinds of the init script's options, by their name in our table.
func uciOptions(t *testing.T) map[string]string {
	t.Helper()
	block := regexp.MustCompile(`(?s)\nOPTIONS="(.*?)"\n`).FindStringSubmatch(packagedUCI(t, "hwrngd.init"))
	if block == nil {
		t.Fatal("the init script has no OPTIONS")
	}
	kinds := map[string]string{}
	for word := range strings.FieldsSeq(block[1]) {
		kind, name, _ := strings.Cut(word, ":")
		kinds[strings.ReplaceAll(name, "_", "-")] = kind
	}
	return kinds
}

// TestUCINamesRealOptions: every option of the OpenWrt package is one of ours, of the same kind; every one
// of ours is there or left out for a reason.
func TestUCINamesRealOptions(t *testing.T) {
	uci := uciOptions(t)
	for name, kind := range uci {
		o := optionByName(name)
		if o == nil {
			t.Errorf("the init script has %s, which hwrngd does not have", name)
			continue
		}
		want := "text"
		switch {
		case o.isList():
			want = "list"
		case o.kind() == kindBool:
			want = "bool"
		}
		if kind != want {
			t.Errorf("the init script writes %s as %s, it is a %s", name, kind, want)
		}
		if o.NotInFile || withoutUCI[name] != "" {
			t.Errorf("the init script has %s", name)
		}
	}
	for i := range options {
		if name := options[i].Name; uci[name] == "" && withoutUCI[name] == "" {
			t.Errorf("OpenWrt's package lacks %s", name)
		}
	}
	for name := range withoutUCI {
		if optionByName(name) == nil {
			t.Errorf("%s, which OpenWrt's package has no need of, is no option", name) // nor refused by name in the minimal build
		}
	}
}

// TestUCIDefaults: the packaged /etc/config/hwrngd and the table in docs/openwrt.md show every option with
// its default. Where there is none the file has an example.
func TestUCIDefaults(t *testing.T) {
	page := kit.ReadFile(t, "../../docs/openwrt.md")
	inPage := map[string]string{}
	for _, line := range uciTable.FindAllStringSubmatch(page, -1) {
		inPage[line[1]] = line[2] + " " + line[3]
	}
	inFile := map[string]string{}
	for _, line := range uciLine.FindAllStringSubmatch(packagedUCI(t, "hwrngd.config"), -1) {
		inFile[line[2]] = line[1] + " " + line[3]
	}
	for name, kind := range uciOptions(t) {
		o, key := optionByName(name), strings.ReplaceAll(name, "-", "_")
		word, value := "option", o.Default
		if kind == "list" {
			word = "list"
		}
		if kind == "bool" {
			value = map[string]string{"true": "1", "false": "0"}[value]
		}
		if want := word + " " + value; inPage[key] != want {
			t.Errorf("docs/openwrt.md has %s as %q, want %q", key, inPage[key], want)
		}
		if value != "" && inFile[key] != word+" "+value {
			t.Errorf("the packaged file has %s as %q, want the default %q", key, inFile[key], word+" "+value)
		}
		if value == "" {
			if example, _ := strings.CutPrefix(inFile[key], "list "); o.bind(new(Config)).set([]string{example}) != nil {
				t.Errorf("the packaged file has no example of %s: %q", key, inFile[key])
			}
		}
	}
	// Beside our options there is the switch of the service.
	for where, found := range map[string]map[string]string{"docs/openwrt.md": inPage, "the packaged file": inFile} {
		if found["enabled"] != "option 1" || len(found) != len(uciOptions(t))+1 {
			t.Errorf("%s has %s", where, fmt.Sprint(slices.Sorted(maps.Keys(found))))
		}
	}
}
