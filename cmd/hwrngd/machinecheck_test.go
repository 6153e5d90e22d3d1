package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/pool/pooltest"
)

// bench is a directory that stands for a machine, with a configuration that looks at it.
func bench(t *testing.T, files map[string]string, options ...string) (string, *Config) {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	plant(t, r.dir, files)
	cfg, err := r.config(options...)
	if err != nil {
		t.Fatal(err)
	}
	return r.dir, cfg
}

// check compares findings with what is wanted: level, a part of the text and of the hint, and the
// exit code that the first error gives.
func check(t *testing.T, got []finding, code int, want ...[3]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, w := range want {
		f := got[i]
		if f.Level != w[0] || !strings.Contains(f.Text, w[1]) || !strings.Contains(f.Hint, w[2]) || w[2] == "" && f.Hint != "" {
			t.Errorf("got %+v, want %q", f, w)
		}
		if f.Subject == "" || (f.code == exitOK) != (f.Level != "error") {
			t.Errorf("level and exit code do not agree: %+v", f)
		}
	}
	if c := worst(got); c != code {
		t.Errorf("exit code %d, want %d", c, code)
	}
}

func TestCheckSink(t *testing.T) {
	able, unable := pooltest.Modern(), pooltest.Modern()
	unable.FailAlways(pooltest.AddEntropy, syscall.EPERM)

	_, cfg := bench(t, nil)
	check(t, []finding{judgeSink(cfg, able, nil)}, exitOK, [3]string{"ok", "/dev/random takes credit from this user", ""})
	check(t, []finding{judgeSink(cfg, unable, nil)}, exitPermission, [3]string{"error", "this user may not credit", "CAP_SYS_ADMIN"})
	if unable.CreditedBits() != 0 || len(able.Seeds()) != 0 {
		t.Error("the check gave something to the kernel")
	}

	_, cfg = bench(t, nil, "monitor=true")
	check(t, []finding{judgeSink(cfg, unable, nil)}, exitOK, [3]string{"ok", "this user may not credit", "monitor mode does not need it"})

	dir, cfg := bench(t, map[string]string{"random": ""})
	cfg.RandomDevice = filepath.Join(dir, "random")
	check(t, []finding{checkSink(cfg)}, exitUsage, [3]string{"error", "cannot feed " + cfg.RandomDevice + " (regular file)", "--random-device must be"})
	cfg.RandomDevice = filepath.Join(dir, "missing")
	check(t, []finding{checkSink(cfg)}, exitOS, [3]string{"error", "cannot open the kernel's random device: open " + cfg.RandomDevice + ": no such file", ""})
}

func TestCheckGenerators(t *testing.T) {
	two := generators("virtio_rng.0", "virtio_rng.0 tpm-rng-0")
	for _, tt := range []struct {
		name    string
		files   map[string]string
		node    bool
		options []string
		code    int
		want    [][3]string
	}{
		{"usable", two, true, nil, exitOK, [][3]string{{"ok", "virtio_rng.0, claimed at 4 bits a byte (driver table)", ""}}},
		{"missing", nil, false, nil, exitOK, [][3]string{{"warning", "hwrng: no such file or directory", "no driver for a hardware generator is loaded"}}},
		{"missing but required", nil, false, []string{"require-source=true"}, exitUnavailable, [][3]string{{"error", "hwrng: no such file or directory", "no driver"}}},
		{"no driver", generators("none", "none"), true, nil, exitOK, [][3]string{{"warning", "no driver behind it", "load the driver"}}},
		{"denied", two, true, []string{"hwrng-deny=virtio_rng.0"}, exitOK, [][3]string{{"warning", "denied by configuration", "--hwrng-deny"}}},
		{"another one denied", two, true, []string{"hwrng-deny=tpm-rng-0"}, exitOK, [][3]string{{"ok", "virtio_rng.0", ""}}},
		{
			"none current", generators("none", "a.rng tpm-rng-0 none"), true, nil, exitOK,
			[][3]string{{"warning", "no generator is current; there are: a.rng tpm-rng-0", "select one with --hwrng-select"}},
		},
		{
			"none current but required", generators("none", "a.rng"), true,
			[]string{"require-source=true"},
			exitUnavailable,
			[][3]string{{"error", "no generator is current; there are: a.rng", "--hwrng-select"}},
		},
		{"none current, one will be", generators("none", "a.rng"), true, []string{"hwrng-select=best", "require-source=true"}, exitOK, nil},
		{"refused", two, false, []string{"hwrng-device=/dev/urandom"}, exitUsage, [][3]string{{"error", "the kernel's own /dev/urandom", "old guides"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, cfg := bench(t, tt.files, tt.options...)
			if tt.node {
				silentFIFO(t, filepath.Join(dir, "hwrng")) // a check that reads would hang
			}
			check(t, checkGenerators(t.Context(), cfg), tt.code, tt.want...)
		})
	}
}

// TestCheckSelection: the wanted name has to be there; one that is nearly right is suggested, never
// taken (FC-053).
func TestCheckSelection(t *testing.T) {
	two := generators("ccp-1-rng", "ccp-1-rng tpm-rng-0")
	for _, tt := range []struct {
		name   string
		files  map[string]string
		choice string
		want   [3]string
	}{
		{"keep", two, "keep", [3]string{}},
		{"there", two, "tpm-rng-0", [3]string{"ok", "rng_current can be written", ""}},
		{"best", two, "best", [3]string{"ok", "rng_current can be written", ""}},
		{"rotate", two, "rotate", [3]string{"ok", "rng_current can be written", ""}},
		{"rotate, one alone", generators("a.rng", "a.rng none"), "rotate", [3]string{"warning", "nothing to rotate; generators that may be used: a.rng", ""}},
		{"rotate, none", generators("none", "none"), "rotate", [3]string{"warning", "nothing to rotate; generators that may be used: none", ""}},
		{"nearly there", two, "tpm-rng", [3]string{"warning", "generator tpm-rng is not there; there are: ccp-1-rng tpm-rng-0", "did you mean tpm-rng-0?"}},
		{"far off", two, "rdrand", [3]string{"warning", "generator rdrand is not there; there are: ccp-1-rng tpm-rng-0", ""}},
		{"nothing there", generators("none", "none"), "tpm-rng-0", [3]string{"warning", "generator tpm-rng-0 is not there; there are: none", ""}},
		{"no class", nil, "best", [3]string{"warning", "rng_current: no such file or directory", "needs root and a writable sysfs"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, cfg := bench(t, tt.files, "hwrng-select="+tt.choice)
			f := checkSelection(cfg)
			if tt.want == [3]string{} {
				if f != (finding{}) {
					t.Errorf("got %+v", f)
				}
				return
			}
			check(t, []finding{f}, exitOK, tt.want)
			if after, _ := os.ReadFile(filepath.Join(dir, classDir+"rng_current")); string(after) != tt.files[classDir+"rng_current"] {
				t.Errorf("rng_current was changed to %q", after)
			}
		})
	}
}

func TestCheckRuntimeDir(t *testing.T) {
	dir, cfg := bench(t, map[string]string{"file": "", "run/": ""})
	check(t, []finding{checkRuntimeDir(cfg)}, exitOK, [3]string{"ok", cfg.RuntimeDir, ""})

	cfg.RuntimeDir = filepath.Join(dir, "new")
	check(t, []finding{checkRuntimeDir(cfg)}, exitOK, [3]string{"ok", "new does not exist; the daemon makes it", ""})
	if _, err := os.Stat(cfg.RuntimeDir); err == nil {
		t.Error("the check made the directory")
	}
	cfg.RuntimeDir = filepath.Join(dir, "file")
	check(t, []finding{checkRuntimeDir(cfg)}, exitOK, [3]string{"warning", "file is not a directory: no lock and no status socket", ""})
	cfg.RuntimeDir = filepath.Join(dir, "file", "run")
	check(t, []finding{checkRuntimeDir(cfg)}, exitOK, [3]string{"warning", "not a directory", ""})

	cfg.RuntimeDir = serve(t, fixed(exampleStatus()))
	check(t, []finding{checkRuntimeDir(cfg)}, exitOK, [3]string{"warning", "a hwrngd already runs here as process 4242", ""})
}

func TestCheckAddress(t *testing.T) {
	holder, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := holder.Addr().String()
	_, cfg := bench(t, nil)
	check(t, []finding{checkAddress(address, cfg)}, exitOK, [3]string{"warning", address + ": bind: address already in use", "the daemon feeds all the same and tries again"})

	running := *cfg
	running.RuntimeDir = serve(t, fixed(exampleStatus()))
	check(t, []finding{checkAddress(address, &running)}, exitOK, [3]string{"ok", address + " is in use, by the running daemon as it seems", ""})

	holder.Close()
	check(t, []finding{checkAddress(address, cfg)}, exitOK, [3]string{"ok", address + " is free", ""})
	if l, err := net.Listen("tcp", address); err != nil {
		t.Errorf("the check kept the address: %v", err)
	} else {
		l.Close()
	}
	check(t, []finding{checkAddress("unix:/run/hwrngd/metrics.sock", cfg)}, exitOK, [3]string{"ok", "unix:/run/hwrngd/metrics.sock", ""})
}

// TestCheckMachine: the whole command, as text and as JSON.
func TestCheckMachine(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("ccp-1-rng", "ccp-1-rng tpm-rng-0"))
	plant(t, dir, map[string]string{"random": ""})
	silentFIFO(t, filepath.Join(dir, "hwrng"))
	args := append(
		append([]string{"check"}, slices.DeleteFunc(slices.Clone(atHome), func(arg string) bool {
			return strings.HasPrefix(arg, "--tpm-device") // which check would call vain: the TPM is no source here
		})...),
		// Not the machine's own sink: whether that takes credit depends on who runs the test.
		"--random-device=random", "--hwrng-select=tpm-rng", "--metrics-listen=unix:/run/hwrngd/metrics.sock",
	)
	got := inDir(t, dir, func() result { return call(nil, args...) })
	if got.code != exitUsage || got.stderr != "" {
		t.Errorf("code %d, %q", got.code, got.stderr)
	}
	golden(t, "check/machine.txt", got.stdout)

	got = inDir(t, dir, func() result { return call(nil, append(args, "--output=json")...) })
	golden(t, "check/machine.json", got.stdout)
	var report struct {
		Valid   bool
		Machine []finding
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || !report.Valid || len(report.Machine) != 5 || got.code != exitUsage {
		t.Errorf("%v, %+v", err, got)
	}

	// A report that nobody gets is the error that counts.
	inDir(t, dir, func() (none result) {
		if code, stderr := callFull(t, args...); code != exitIO || !strings.Contains(stderr, "no space left") {
			t.Errorf("to a full disk: %d, %s", code, stderr)
		}
		return none
	})
}

func TestWorst(t *testing.T) {
	if worst(nil) != exitOK {
		t.Error("nothing found is not fine")
	}
	found := []finding{{Level: "ok"}, {Level: "warning"}, {Level: "error", code: exitUnavailable}, {Level: "error", code: exitPermission}}
	if got := worst(found); got != exitUnavailable {
		t.Errorf("got %d", got)
	}
	slices.Reverse(found)
	if got := worst(found); got != exitPermission {
		t.Errorf("got %d", got)
	}
}

// TestCheckColors: each level has its colour.
func TestCheckColors(t *testing.T) {
	r := &Report{color: true}
	showMachine(r, []finding{{Subject: "a", Level: "ok"}, {Subject: "b", Level: "warning", Hint: "h"}, {Subject: "c", Level: "error"}})
	r.align()
	for _, want := range []string{"\x1b[32mok\x1b[0m", "\x1b[33mwarning\x1b[0m", "\x1b[31merror\x1b[0m", "\x1b[2mhint: h\x1b[0m"} {
		if !strings.Contains(r.text.String(), want) {
			t.Errorf("no %q in %q", want, r.text.String())
		}
	}
}
