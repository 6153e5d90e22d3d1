package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
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
var atHome = append([]string{"--config=/dev/null", "--sysfs=sys", "--procfs=proc", "--hwrng-device=hwrng", "--runtime-dir=run"}, atHomeFull...)

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
				golden(t, "list/"+tt.name+ext, withoutMachine(t, got.stdout))
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

// withoutMachine takes the sources ofThisMachine out of a list, and with them what they make of the widths of columns.
func withoutMachine(t *testing.T, list string) string {
	t.Helper()
	if !strings.HasPrefix(list, "{") {
		var kept []string
		found := map[string]bool{}
		for i, section := range strings.Split(strings.TrimSuffix(list, "\n"), "\n\n") {
			rows := strings.Split(section, "\n")
			if i > 0 && slices.Contains(machineHeadings, rows[0]) {
				continue
			}
			rows = slices.DeleteFunc(rows, func(row string) bool {
				source, _, _ := strings.Cut(row, " ")
				gone := i == 0 && slices.Contains(ofThisMachine, source)
				found[source] = found[source] || gone
				return gone
			})
			kept = append(kept, regexp.MustCompile(`(\S) {2,}`).ReplaceAllString(strings.Join(rows, "\n"), "$1  "))
		}
		for _, name := range ofThisMachine {
			if !found[name] {
				t.Errorf("no row of %s:\n%s", name, list)
			}
		}
		return strings.Join(kept, "\n\n") + "\n"
	}
	var report listReport
	if err := json.Unmarshal([]byte(list), &report); err != nil {
		t.Fatal(err)
	}
	for _, name := range ofThisMachine {
		n := len(report.Sources)
		report.Sources = slices.DeleteFunc(report.Sources, func(s listSource) bool { return s.Source == name })
		if len(report.Sources) == n {
			t.Errorf("no %s source:\n%s", name, list)
		}
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
