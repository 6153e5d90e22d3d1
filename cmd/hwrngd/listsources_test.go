package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// listed returns the rows of a source in the list with these options.
func listed(t *testing.T, source string, args ...string) []listSource {
	t.Helper()
	got := call(nil, append([]string{"list", "--config=/dev/null", "--sysfs=/nosuch", "--hwrng-device=/nosuch", "--output=json"}, args...)...)
	var report listReport
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != exitOK {
		t.Fatalf("%v, %+v", err, got)
	}
	return slices.DeleteFunc(report.Sources, func(s listSource) bool { return s.Source != source })
}

// TestListLine: the configured line is in the list, and else that there is none.
func TestListLine(t *testing.T) {
	line := goodLine(t)
	if r := listed(t, "tty", "--tty-device="+line)[0]; !r.Usable || !r.Wanted || r.Device != line || r.Kind != "serial" || r.MinEntropy != 4 {
		t.Errorf("good: %+v", r)
	}
	if r := listed(t, "tty", "--tty-device="+line, "--sources=hwrng")[0]; !r.Usable || r.Wanted {
		t.Errorf("not in sources: %+v", r)
	}
	if r := listed(t, "tty")[0]; r.Usable || r.Wanted || r.Reason != "source tty is not configured" {
		t.Errorf("not configured: %+v", r)
	}
}

// TestListLineOfTheDaemon: a line that the running daemon has is no mistake.
func TestListLineOfTheDaemon(t *testing.T) {
	line := goodLine(t)
	r := newRig(t, pooltest.Modern(), "sources=tty", "tty-device="+line)
	r.d.start(t.Context())
	defer func() { stopWorkers(r.d.running()) }()
	if err := os.Mkdir(r.dir+"/run", 0o755); err != nil {
		t.Fatal(err)
	}
	socket, err := serveStatus(r.dir+"/run", r.d.status, r.d.log)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	kit.Eventually(t, "credit", func() bool { return r.d.status().Credits.Bits["tty"] > 0 })
	row := listed(t, "tty", "--tty-device="+line, "--runtime-dir="+r.dir+"/run")[0]
	if !row.Usable || row.Reason != "the running daemon has it: active" || row.Hint == "" {
		t.Errorf("%+v", row)
	}
	if row := listed(t, "tty", "--tty-device="+line, "--runtime-dir=/nosuch")[0]; row.Usable || !strings.Contains(row.Reason, line+" is in use by ") {
		t.Errorf("of another: %+v", row)
	}
	readers := []string{"capture", "audit"}
	if minimal {
		readers = readers[:1]
	}
	for _, command := range readers {
		got := call(nil, command, "tty", "--config=/dev/null", "--tty-device="+line)
		if got.code != exitAlreadyRunning || !strings.Contains(got.stderr, "is in use by ") {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
