package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// inDir runs call in dir, so that the reports have short paths that are the same each time.
func inDir(t *testing.T, dir string, call func() result) result {
	t.Helper()
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(dir); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Chdir(home); err != nil {
			t.Fatal(err)
		}
	}()
	return call()
}

// atHome are the options that make a command look at the working directory for a machine.
var atHome = []string{"--config=/dev/null", "--sysfs=sys", "--procfs=proc", "--hwrng-device=hwrng", "--runtime-dir=run"}

// TestList: every generator is shown, and for those that cannot be used why and what helps.
func TestList(t *testing.T) {
	two := generators("virtio_rng.0", "virtio_rng.0 tpm-rng-0")
	for _, tt := range []struct {
		name  string
		files map[string]string
		node  func(t *testing.T, path string)
		args  []string
	}{
		{name: "several", files: generators("3f104000.rng", "3f104000.rng tpm-rng-0 virtio_rng.0 none"), node: goodFIFO},
		{name: "none", files: generators("none", "none"), node: goodFIFO},
		{name: "no-class", node: goodFIFO},
		{name: "missing", files: two},
		{name: "denied", files: two, node: silentFIFO, args: []string{"--hwrng-deny=virtio_rng.0"}},
		{name: "capped", files: merge(two, map[string]string{classDir + "rng_quality": "19\n"}), node: goodFIFO},
		{name: "claimed", files: two, node: goodFIFO, args: []string{"--entropy=hwrng=0.5"}},
		{name: "no-probe", files: two, node: silentFIFO, args: []string{"--no-probe"}},
		{name: "refused", files: two, args: []string{"--hwrng-device=/dev/urandom"}},
		{name: "end-of-file", files: merge(two, map[string]string{classDir + "dev": "10:183\n"}), args: []string{"--hwrng-device=/dev/null"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, tt.files)
			if tt.node != nil {
				tt.node(t, dir+"/hwrng")
			}
			args := append(append([]string{"list"}, atHome...), tt.args...)
			for format, ext := range map[string]string{"text": ".txt", "json": ".json"} {
				got := inDir(t, dir, func() result { return call(nil, append(args, "--output="+format)...) })
				if got.code != exitOK || got.stderr != "" {
					t.Errorf("code %d, %q", got.code, got.stderr)
				}
				golden(t, "list/"+tt.name+ext, withoutJitter(t, got.stdout))
			}
			if after, _ := os.ReadFile(dir + "/" + classDir + "rng_current"); string(after) != tt.files[classDir+"rng_current"] {
				t.Errorf("rng_current was changed to %q", after)
			}
		})
	}
	if code, stderr := callFull(t, append([]string{"list", "--no-probe"}, atHome...)...); code != exitIO || !strings.Contains(stderr, "no space left") {
		t.Errorf("to a full disk: %d, %s", code, stderr)
	}
	if got := call(nil, "list", "--config=/does/not/exist"); got.code != exitUsage {
		t.Errorf("without the configuration: %+v", got)
	}
}

// withoutJitter takes the jitter source out of a list: what is said of it depends on the machine.
func withoutJitter(t *testing.T, list string) string {
	t.Helper()
	if !strings.HasPrefix(list, "{") {
		text, section, ok := strings.Cut(list, "\njitter\n") // the last one
		rows := strings.SplitAfter(text, "\n")
		kept := slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return strings.HasPrefix(row, "jitter ") })
		if !ok || strings.Contains(section, "\n\n") || len(kept) != len(rows)-1 {
			t.Errorf("not one row and one section of jitter:\n%s", list)
		}
		return strings.Join(kept, "")
	}
	var report listReport
	if err := json.Unmarshal([]byte(list), &report); err != nil {
		t.Fatal(err)
	}
	n := len(report.Sources)
	report.Sources = slices.DeleteFunc(report.Sources, func(s listSource) bool { return s.Source == "jitter" })
	if len(report.Sources) != n-1 {
		t.Errorf("not one jitter source:\n%s", list)
	}
	var out bytes.Buffer
	if err := (&Invocation{Stdout: &out}).WriteJSON(report); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// silentFIFO makes a FIFO with a generator behind it that gives nothing.
func silentFIFO(t *testing.T, path string) {
	t.Helper()
	fifo(t, path)
}

// merge returns all of a and b.
func merge(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
