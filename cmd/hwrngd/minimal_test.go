//go:build minimal

package main

import (
	"os"
	"strings"
	"testing"
)

// How every web configuration is refused.
const (
	webConfigRefused = "this is the minimal build of hwrngd, which has no TLS and no passwords for the metrics: keep them on " +
		"127.0.0.1 or a unix socket, or use the full build"
	webConfigGone = "this is the minimal build"
)

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
