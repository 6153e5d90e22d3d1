package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// bench is a machine of its own for one program: a directory with device, sysfs, procfs, configuration
// and runtime directory. Only the random device is the real one, so credit goes to the kernel of this
// machine, which does it no harm.
type bench struct {
	t   testing.TB
	dir string

	device string // the usual path
	random string
	drop   bool // CAP_SYS_ADMIN
	env    []string
	strace []string // options, nil without a trace
}

// modernPool is the procfs of a kernel since 5.18.
var modernPool = [][2]string{
	{"sys/kernel/osrelease", "6.12.0-test\n"},
	{"sys/kernel/random/poolsize", "256\n"},
	{"sys/kernel/random/entropy_avail", "256\n"},
}

func newBench(t testing.TB) *bench {
	t.Helper()
	kit.NeedRoot(t)
	dir := kit.TempDir(t)
	b := &bench{t: t, dir: dir, device: filepath.Join(dir, "dev", "hwrng"), random: "/dev/random"}
	for _, sub := range []string{"dev", "sys", "proc"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range modernPool {
		b.set("proc", f[0], f[1])
	}
	b.set("config", "", "")
	return b
}

// set writes a file of a tree of the bench, or the configuration.
func (b *bench) set(tree, path, text string) {
	b.t.Helper()
	full := filepath.Join(b.dir, tree, path)
	if tree == "config" {
		full = b.config()
	} else if !filepath.IsLocal(path) {
		b.t.Fatalf("%s is not below the tree", path) // never the machine's own
	}
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(text), 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) config() string  { return filepath.Join(b.dir, "hwrngd.toml") }
func (b *bench) runtime() string { return filepath.Join(b.dir, "run") }
func (b *bench) metrics() string { return filepath.Join(b.dir, "metrics.sock") }
func (b *bench) log() string     { return filepath.Join(b.dir, "log") }

// setSink puts another file in the place of /dev/random.
func (b *bench) setSink(path string) {
	b.t.Helper()
	if path == "file" {
		path = filepath.Join(b.dir, "sink")
		kit.WriteFile(b.t, path, "", 0o644)
	}
	b.random = path
}

// command builds a command line that runs the program on the bench. The cases are about the hwrng
// source and in a hurry, unless their options say otherwise.
func (b *bench) command(args ...string) *exec.Cmd {
	b.t.Helper()
	machine := []string{
		"--config", b.config(), "--sysfs", filepath.Join(b.dir, "sys"), "--procfs", filepath.Join(b.dir, "proc"),
		"--random-device", b.random, "--hwrng-device", b.device, "--runtime-dir", b.runtime(),
	}
	if args[0] == "run" {
		machine = append(machine, "--metrics-listen", "unix:"+b.metrics())
	}
	argv := slices.Concat([]string{kit.Program(), args[0]}, machine, args[1:])
	if b.drop {
		kit.NeedTool(b.t, "setpriv")
		argv = append([]string{"setpriv", "--bounding-set=-sys_admin"}, argv...)
	}
	if b.strace != nil {
		kit.NeedTool(b.t, "strace")
		argv = slices.Concat([]string{"strace"}, b.strace, argv)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HWRNGD_SOURCES=hwrng", "HWRNGD_REFILL_INTERVAL=1s"}, b.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// notify makes the bench's daemon a service of Type=notify.
func (b *bench) notify(watchdog time.Duration) *kit.Manager {
	b.t.Helper()
	path := filepath.Join(b.dir, "notify")
	b.env = append(b.env, "NOTIFY_SOCKET="+path)
	if watchdog > 0 {
		b.env = append(b.env, fmt.Sprintf("WATCHDOG_USEC=%d", watchdog.Microseconds()))
	}
	return kit.NewManager(b.t, path)
}

// file returns the content of a file of a tree, trimmed; "" if there is none.
func (b *bench) file(tree, path string) string {
	text, _ := os.ReadFile(filepath.Join(b.dir, tree, path))
	return strings.TrimSpace(string(text))
}
