//go:build !minimal

package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source/cpu"
	"github.com/hwrngd/hwrngd/test/kit"
)

const sourceList = "hwrng, tty, command, afalg, cpu, tpm, jitter"

// atHomeFull are more options that make a command look at the working directory.
var atHomeFull = []string{"--tpm-device=tpmrm0"}

// ofThisMachine are the sources of which a list depends on the machine that the test runs on.
var (
	ofThisMachine   = []string{"jitter", "cpu"}
	machineHeadings = append([]string{"jitter", "cpu"}, instructionNames()...)
)

var wantedFull = []wantedCase{
	{[]string{"auto"}, Config{Command: []string{"/bin/x"}}, []string{"hwrng", "command", "jitter"}},
	{[]string{"auto"}, Config{CPUInstruction: "rdseed", AFALGGenerator: "qcom-rng"}, []string{"hwrng", "jitter"}},
	{[]string{"cpu", "afalg", "tpm", "jitter"}, Config{TPMDevice: "/dev/tpmrm0"}, []string{"cpu", "afalg", "tpm", "jitter"}},
}

var badSourceValues = []badValue{
	{"command", "infnoise", `"infnoise" is not the full path of a program, want one that starts with /`},
	{"command", "/bin/a --raw", `"/bin/a --raw" holds blanks: give the program and each argument as a word of its own, as in ["/usr/bin/infnoise", "--raw"]`},
	{"command", "/bin/a,,b", `must not be empty`},
	{"command", "/bin/a,b\x00", `"b\x00" holds control characters or is not UTF-8`},
	{"command-user", "-x", `"-x" cannot be the name of a user or group`},
	{"command-user", "a:b", `"a:b" cannot be the name of a user or group`},
	{"command-group", "a b", `"a b" cannot be the name of a user or group`},
	{"afalg-generator", "a b", `"a b" cannot be the name of a generator, it holds blanks`},
	{"afalg-generator", strings.Repeat("x", 64), `"` + strings.Repeat("x", 64) + `" cannot be the name of a generator, it has more than 63 bytes`},
	{"cpu-instruction", "rdsed", `unknown value "rdsed", did you mean "rdseed"?`},
}

// oneCPU skips a test where the CPU has no instruction to execute.
func oneCPU(t *testing.T) {
	t.Helper()
	if err := cpu.New(cpu.Options{}).Watch(); err != nil {
		kit.Missing(t, "%v", err)
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
			args := tt.args(t)
			readBySource(t, tt.source, args, tt.claim)
			args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--entropy") }) // audit claims by itself
			audited := call(nil, slices.Concat([]string{"audit", tt.source, "--config=/dev/null", "--blocks=20", "--output=json"}, args)...)
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
	kit.Eventually(t, "credit of both", func() bool { return bits("command") > 0 && bits("cpu") > 0 })
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
	kit.Eventually(t, "credit of the new ones", func() bool { return bits("command") > before && bits("cpu") > old })
	if claim := r.d.status().Sources[1].MinEntropy; claim != 0.5 {
		t.Errorf("claim %v", claim)
	}
	r.logged(1, 0, `changed="entropy command"`)
}

// TestMakeTPM: the same of the tpm source, which is not there.
func TestMakeTPM(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("none", "tpm-rng-0"))
	cfg := mustLoad(t, input(os.DevNull, nil, map[string][]string{
		"sysfs": {filepath.Join(dir, "sys")}, "tpm-device": {"/dev/null"}, "entropy": {"tpm=0.25"}, "sources": {"tpm"},
	}))
	src := makeTPM(cfg, nil, &metricstest.Recorder{}, slog.New(slog.DiscardHandler))
	defer src.Close()
	if info := src.Info(); info.Name != "tpm" || info.Device != "/dev/null" || info.MinEntropy != 0.25 || info.ClaimOrigin != "configured" {
		t.Errorf("got %+v", info)
	}
	if err := src.Watch(); err == nil || !strings.Contains(err.Error(), "is read through /dev/hwrng already") {
		t.Errorf("got %v", err)
	}
}

// TestBeyondSandboxProgram: a daemon in its sandbox cannot start a program, one that runs a program has none.
func TestBeyondSandboxProgram(t *testing.T) {
	alone := mustLoad(t, input("/dev/null", nil, nil))
	program := mustLoad(t, input("/dev/null", nil, map[string][]string{"command": {"/bin/x"}}))
	for _, c := range []struct {
		name         string
		before, next *Config
		want         []string
	}{
		{"a program", alone, program, []string{"sources"}},
		{"no program any more", program, alone, nil},
		{"still a program", program, program, nil},
	} {
		if got := beyondSandbox(c.before, c.next); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestUnconfiguredFull: the same of the other sources.
func TestUnconfiguredFull(t *testing.T) {
	checkUnconfigured(t, []unconfiguredCase{
		{"command", map[string][]string{"sources": {"hwrng", "command"}}, "names command, but command does not say what to read", ""},
		{"auto", map[string][]string{"tty-device": {"/dev/ttyACM0"}, "command": {"/bin/x"}}, "", ""},
		{"unused with auto", map[string][]string{"cpu-instruction": {"rdseed"}}, "", "cpu-instruction (--cpu-instruction) has no effect: source cpu is not among the sources (default: auto)"},
		{"root", map[string][]string{"command": {"/bin/x"}, "command-user": {"root"}}, "", "command-user (--command-user) gives the program every right of root"},
	})
}

// TestCheckSingle: the machine check looks at each wanted source.
func TestCheckSingle(t *testing.T) {
	_, cfg := bench(t, nil, "sources=tty,command", "tty-device=/dev/none", "command=/bin/cat", "command-user=root")
	check(t, checkSingle(t.Context(), cfg, wantedSources(cfg)), exitOK,
		[3]string{"warning", "/dev/none: no such file", "not plugged in"}, [3]string{"ok", "/bin/cat, claimed at 1 bits a byte (default)", ""})
}
