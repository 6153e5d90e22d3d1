package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

func TestDescribeBuild(t *testing.T) {
	build := func(main, revision, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{
			Main: debug.Module{Version: main},
			Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}, {Key: "GOARCH", Value: "mipsle"},
			},
			Deps: []*debug.Module{
				{Path: "example.org/a", Version: "v1"},
				{Path: "example.org/b", Version: "v1", Replace: &debug.Module{Path: "example.org/c", Version: "v2"}},
			},
		}
	}
	const revision = "0123456789abcdef0123456789abcdef01234567"
	tests := []struct {
		name, linked string
		info         *debug.BuildInfo
		want         string
	}{
		{"linker flag", "0.1.0-dev.5", build("v0.2.0", revision, "false"), "0.1.0-dev.5"},
		{"installed by go install", "", build("v0.2.0", "", ""), "0.2.0"},
		{"plain build", "", build("(devel)", "", ""), "0.1.0-dev"},
		{"commit", "", build("(devel)", revision, "false"), "0.1.0-dev+0123456789ab"},
		{"changed commit", "", build("v0.0.0-20260801-0123456789ab+dirty", revision, "true"), "0.1.0-dev+0123456789ab.modified"},
		{"nothing known", "", nil, "0.1.0-dev"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := describeBuild(test.linked, test.info)
			if got.Version != test.want || got.Go == "" || got.Platform == "" {
				t.Errorf("got %+v, want version %s", got, test.want)
			}
			if test.info != nil && (got.Settings["GOARCH"] != "mipsle" || got.Modules[1] != (buildModule{"example.org/c", "v2"})) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	bare := call(nil, "--version")
	if bare.code != exitOK || bare.stderr != "" || bare.stdout != buildVersion().Version+"\n" {
		t.Errorf("got %+v", bare)
	}
	for _, args := range [][]string{{"-V"}, {"--monitor", "--version"}, {"list", "--version"}} {
		if got := call(nil, args...); got != bare {
			t.Errorf("%q: %+v, want %+v", args, got, bare)
		}
	}
	if got := call(nil, "version"); got.code != exitOK || !strings.HasPrefix(got.stdout, bare.stdout) {
		t.Errorf("the bare version is not the first line: %+v", got)
	}
	got := call(nil, "version", "--output=json")
	var info buildInfo
	if err := json.Unmarshal([]byte(got.stdout), &info); err != nil || info.Version+"\n" != bare.stdout {
		t.Errorf("%v in %+v", err, got)
	}
}
