//go:build !minimal

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// goodLine makes a terminal line with a good generator behind it, and returns its path.
func goodLine(t *testing.T) string {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("SKIPPED, NOT TESTED: no terminal to test with: ", err)
	}
	var number, unlock uint32
	for request, arg := range map[uintptr]*uint32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Fatal(errno)
		}
	}
	go func() { _, _ = io.Copy(near, sourcetest.Good("tty")) }() // ends when the test closes near
	t.Cleanup(func() { near.Close() })
	return fmt.Sprintf("/dev/pts/%d", number)
}

// oneCPU skips a test where the CPU has no instruction to execute.
func oneCPU(t *testing.T) {
	t.Helper()
	if err := cpu.New(cpu.Options{}).Watch(); err != nil {
		t.Skip("SKIPPED, NOT TESTED: ", err)
	}
}

// catFIFO is the configuration of a command that gives good data for ever.
func catFIFO(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "noise")
	goodFIFO(t, path)
	return []string{"--command=/bin/cat," + path, "--command-user=root"}
}

// TestReadBySource: audit, capture and bench read every source by its name.
func TestReadBySource(t *testing.T) {
	for _, tt := range []struct {
		source string
		args   func(t *testing.T) []string
		claim  float64
	}{
		{"tty", func(t *testing.T) []string { return []string{"--tty-device=" + goodLine(t)} }, 4},
		{"command", catFIFO, 1},
		{"cpu", func(t *testing.T) []string { oneCPU(t); return []string{"--entropy=cpu=0.5"} }, 0.5},
	} {
		t.Run(tt.source, func(t *testing.T) {
			args := append(tt.args(t), "--config=/dev/null")
			of := func(command string, more ...string) result {
				return call(nil, slices.Concat([]string{command, tt.source}, args, more)...)
			}
			captured := of("capture", "--samples=3000", "--format=json")
			var h captureHeader
			if err := json.Unmarshal([]byte(captured.stdout), &h); err != nil || captured.code != exitOK {
				t.Fatalf("%v, %+v", err, captured)
			}
			if h.Source != tt.source || h.Columns != 3000 || h.HWRNG != nil || h.Facts == nil || h.Facts.MinEntropy != tt.claim {
				t.Errorf("%+v %+v", h, h.Facts)
			}
			measured := of("bench", "--duration=20ms", "--output=json")
			var b benchReport
			if err := json.Unmarshal([]byte(measured.stdout), &b); err != nil || measured.code != exitOK {
				t.Fatalf("%v, %+v", err, measured)
			}
			if s := b.Sources[0]; len(b.Sources) != 1 || s.Source != tt.source || !s.Usable || s.Rate <= 0 || s.MinEntropy != tt.claim {
				t.Errorf("%+v", b.Sources)
			}
			args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--entropy") }) // audit claims by itself
			audited := of("audit", "--blocks=20", "--output=json")
			r := parseAudit(t, audited.stdout)
			if in := r.Input; audited.code != exitOK || in.Kind != kindSource || in.Name != tt.source || in.Wanted != 20 || r.Timing == nil {
				t.Errorf("%+v, %s", in, audited.stderr)
			}
		})
	}
}

// TestAuditSourceEnds: what could be read of a program that ends is judged, and its end is an error.
func TestAuditSourceEnds(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"data": string(fipstest.G1(20))})
	got := call(nil, "audit", "command", "--config=/dev/null", "--command=/bin/cat,"+dir+"/data", "--command-user=root", "--output=json")
	r := parseAudit(t, got.stdout)
	if got.code != exitIO || r.Run.Bytes != 20*2500+4 || r.Input.Stopped != stoppedError || !strings.Contains(got.stderr, "program /bin/cat ended: exit status 0") {
		t.Errorf("%+v, %d bytes: %s", r.Input, r.Run.Bytes, got.stderr)
	}
}

// TestSourceNotThere: what is missing has its reason, its hint and its exit code in each command.
func TestSourceNotThere(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"tty without a device", []string{"tty"}, exitUsage, "source tty is not configured\nhint: set --tty-device"},
		{"command without a program", []string{"command"}, exitUsage, "source command is not configured\nhint: set --command"},
		{"no such line", []string{"tty", "--tty-device=/dev/none"}, exitNoInput, "stat /dev/none: no such file or directory\nhint: the device is not plugged in"},
		{"no line", []string{"tty", "--tty-device=/dev/null"}, exitUnavailable, "/dev/null is no terminal line but a character device 1:3\nhint: "},
		{"no such program", []string{"command", "--command=/bin/none"}, exitNoInput, "stat /bin/none: no such file or directory\nhint: is the program installed"},
		{"no such user", []string{"command", "--command=/bin/cat", "--command-user=nosuch"}, exitUnavailable, "unknown user nosuch\nhint: configure a user"},
		{"no generators", []string{"afalg", "--procfs=/nosuch"}, exitNoInput, "list the generators of the kernel crypto API: "},
		{"instruction of another CPU", []string{"cpu", "--cpu-instruction=" + foreign()}, exitNoInput, "it is an instruction of "},
	} {
		if tt.name == "no such user" && os.Geteuid() != 0 {
			continue // only root can switch to another
		}
		for _, command := range []string{"audit", "capture"} {
			got := call(nil, append([]string{command, "--config=/dev/null"}, tt.args...)...)
			if got.code != tt.code || got.stdout != "" || !strings.Contains(got.stderr, tt.want) {
				t.Errorf("%s, %s: %+v", command, tt.name, got)
			}
		}
	}
}

// foreign is an instruction that this architecture does not have.
func foreign() string {
	have := cpu.Probe("")
	for _, i := range cpu.Instructions {
		if !slices.ContainsFunc(have, func(f cpu.Finding) bool { return f.Name == i.Name }) {
			return i.Name
		}
	}
	panic("an architecture with every instruction")
}

// TestReloadSingle: a changed option replaces the source without a restart, and no credit is lost.
func TestReloadSingle(t *testing.T) {
	oneCPU(t)
	one, two := catFIFO(t)[0], catFIFO(t)[0]
	options := func(command string, more ...string) []string {
		return append([]string{"sources=command,cpu", "refill-interval=1s", "command-user=root", strings.TrimPrefix(command, "--")}, more...)
	}
	r := newRig(t, pooltest.Modern(), options(one)...)
	r.d.start(t.Context())
	defer func() { stopWorkers(r.d.running()) }()
	bits := func(source string) uint64 { return r.d.status().Credits.Bits[source] }
	eventually(t, "credit of both", func() bool { return bits("command") > 0 && bits("cpu") > 0 })
	next, err := r.config(options(two, "entropy=cpu=0.5")...)
	if err != nil {
		t.Fatal(err)
	}
	r.d.loadConfig = func() (*Config, error) { return next, nil }
	before, first, old := bits("command"), r.d.running()[0], bits("cpu")
	r.d.reload(t.Context())
	if r.d.running()[0] == first {
		t.Error("the source was not replaced")
	}
	eventually(t, "credit of the new ones", func() bool { return bits("command") > before && bits("cpu") > old })
	if claim := r.d.status().Sources[1].MinEntropy; claim != 0.5 {
		t.Errorf("claim %v", claim)
	}
	r.logged(1, 0, `changed="entropy command"`)
}

// TestVetLine: what can never be a line, or is the device of hwrng as well, is refused before anything starts.
func TestVetLine(t *testing.T) {
	dir, line := t.TempDir(), goodLine(t)
	plant(t, dir, map[string]string{"file": "data"})
	if err := os.Symlink(line, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"off", Config{}, ""},
		{"missing", Config{TTYDevice: "/dev/none", HWRNGDevice: "/dev/hwrng"}, ""},
		{"line", Config{TTYDevice: line, HWRNGDevice: "/dev/hwrng"}, ""},
		{"file", Config{TTYDevice: dir + "/file"}, "is no terminal line but a regular file"},
		{"same", Config{TTYDevice: line, HWRNGDevice: dir + "/link"}, "are the same device"},
		{"same, missing", Config{TTYDevice: "/dev/none", HWRNGDevice: "/dev//none"}, "are the same device"},
		{"same, but hwrng is not wanted", Config{TTYDevice: line, HWRNGDevice: line, Sources: []string{"tty"}}, ""},
	} {
		if tt.cfg.Sources == nil {
			tt.cfg.Sources = []string{"auto"}
		}
		err := vetLine(&tt.cfg)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || exitCode(err) != exitUsage) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestUnconfigured: a source that is named needs its option; an option needs its source.
func TestUnconfigured(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags map[string][]string
		want  string // an error
		warns string
	}{
		{"tty", map[string][]string{"sources": {"tty"}}, "sources (--sources) names tty, but tty-device does not say what to read", ""},
		{"command", map[string][]string{"sources": {"hwrng", "command"}}, "names command, but command does not say what to read", ""},
		{"auto", map[string][]string{"tty-device": {"/dev/ttyACM0"}, "command": {"/bin/x"}}, "", ""},
		{"named", map[string][]string{"sources": {"tty"}, "tty-device": {"/dev/ttyACM0"}}, "", ""},
		{"unused", map[string][]string{"sources": {"hwrng"}, "tty-device": {"/dev/ttyACM0"}}, "", "tty-device (--tty-device) has no effect: source tty is not among the sources (--sources: hwrng)"},
		{"unused with auto", map[string][]string{"cpu-instruction": {"rdseed"}}, "", "cpu-instruction (--cpu-instruction) has no effect: source cpu is not among the sources (default: auto)"},
		{"of no use without another", map[string][]string{"tty-speed": {"9600"}}, "", "tty-speed (--tty-speed) has no effect: source tty is not among the sources (default: auto)"},
		{"default", map[string][]string{"cpu-instruction": {"auto"}, "tty-device": {"off"}}, "", ""},
		{"rate", map[string][]string{"failure-rate": {"hwrng=0.1", "jitter=0.1"}}, "", "failure-rate (--failure-rate) of source jitter has no effect: only hwrng takes one"},
		{"root", map[string][]string{"command": {"/bin/x"}, "command-user": {"root"}}, "", "command-user (--command-user) gives the program every right of root"},
	} {
		cfg, err := LoadConfig(input(os.DevNull, nil, tt.flags))
		switch {
		case tt.want != "":
			if err == nil || !strings.Contains(err.Error(), tt.want) || exitCode(err) != exitUsage {
				t.Errorf("%s: %v", tt.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case strings.Join(cfg.Warnings, "\n") != tt.warns:
			t.Errorf("%s: %q", tt.name, cfg.Warnings)
		}
	}
}

// TestCheckSingle: the machine check looks at each wanted source.
func TestCheckSingle(t *testing.T) {
	dir, cfg := bench(t, map[string]string{"file": ""}, "sources=tty,command", "tty-device=/dev/none", "command=/bin/cat", "command-user=root")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitOK,
		[3]string{"warning", "/dev/none: no such file", "not plugged in"}, [3]string{"ok", "/bin/cat, claimed at 1 bits a byte (default)", ""})
	_, cfg = bench(t, nil, "sources=tty", "tty-device="+dir+"/file")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitUsage, [3]string{"error", "is no terminal line but a regular file", "serial/by-id"})
	_, cfg = bench(t, nil, "sources=jitter")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitOK)
}
