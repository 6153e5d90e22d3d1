package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// bench is a machine of its own for one daemon: directories, device, sysfs and procfs. Only the
// kernel's random device and procfs are the real ones, unless a case replaces them.
//
// The sysfs is an empty tree by default, so that no case can touch the machine's generators.
type bench struct {
	t   testing.TB
	dir string

	device  string // --hwrng-device, does not exist until a case makes it
	random  string
	sysfs   string
	procfs  string
	config  string // the configuration file, empty at first
	runtime string
	metrics []string // values of --metrics-listen
	env     []string
	stderr  *os.File // where the log goes, if not to a file of the bench

	restrict []string // see becomeRestricted
	prefix   []string // a command that executes the one that follows, such as taskset
	strace   []string // the next start runs under strace with these options
	uid      uint32   // run as this user
}

func newBench(t testing.TB) *bench {
	t.Helper()
	dir := kit.TempDir(t)
	b := &bench{
		t: t, dir: dir,
		device: filepath.Join(dir, "device"), random: "/dev/random", sysfs: filepath.Join(dir, "sys"), procfs: "/proc",
		config: filepath.Join(dir, "hwrngd.toml"), runtime: filepath.Join(dir, "run"),
		metrics: []string{"unix:" + filepath.Join(dir, "metrics.sock")},
	}
	b.tree(b.sysfs, "")
	b.write(b.config, "")
	return b
}

// write makes a file.
func (b *bench) write(path, text string) {
	b.t.Helper()
	kit.WriteFile(b.t, path, text, 0o644)
}

// tree makes the directory root from a description: a line for each file, with its path, blanks,
// and its content as in a Go string without the quotes.
func (b *bench) tree(root, description string) {
	b.t.Helper()
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.t.Fatal(err)
	}
	for line := range strings.Lines(description) {
		path, content, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" {
			continue
		}
		text, err := strconv.Unquote(`"` + strings.TrimSpace(content) + `"`)
		if err != nil {
			b.t.Fatalf("tree line %q: %v", line, err)
		}
		b.write(filepath.Join(root, path), text)
	}
}

// fakeProcfs makes a procfs of its own from a description.
func (b *bench) fakeProcfs(description string) {
	b.t.Helper()
	b.procfs = filepath.Join(b.dir, "proc")
	b.tree(b.procfs, description)
}

// modernPool is the procfs of a kernel since 5.18.
const modernPool = `
	sys/kernel/osrelease             6.12.0-test\n
	sys/kernel/random/poolsize       256\n
	sys/kernel/random/entropy_avail  256\n
`

// classDir is the hw_random class below a sysfs.
const classDir = "class/misc/hw_random"

// arguments are those that point the program at the bench.
func (b *bench) arguments(groups ...string) []string {
	args := []string{
		"--config", b.config, "--sysfs", b.sysfs, "--procfs", b.procfs,
		"--random-device", b.random, "--hwrng-device", b.device, "--runtime-dir", b.runtime,
	}
	if slices.Contains(groups, "metrics") {
		for _, address := range b.metrics {
			args = append(args, "--metrics-listen", address)
		}
	}
	return args
}

// command builds a command line that runs the program on the bench.
func (b *bench) command(ctx context.Context, args ...string) *exec.Cmd {
	argv := append([]string{kit.Program()}, args...)
	// The cases are about the hwrng source; a case about others names them.
	env := append([]string{"PATH=" + os.Getenv("PATH"), "HWRNGD_SOURCES=hwrng"}, b.env...)
	if len(b.restrict) > 0 {
		self, err := os.Executable()
		if err != nil {
			b.t.Fatal(err)
		}
		argv = append([]string{self}, argv...)
		env = append(env, restrictEnv+"="+strings.Join(b.restrict, " "))
	}
	argv = slices.Concat(b.prefix, argv)
	if b.strace != nil {
		argv = slices.Concat([]string{"strace"}, b.strace, argv)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, "/"
	if b.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: b.uid, Gid: b.uid}}
	}
	return cmd
}

// result is what a program that has ended leaves.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// exec runs one of the commands that end by themselves, "run" included where it is to be refused.
func (b *bench) exec(command string, args ...string) result {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
	defer cancel()
	all := append([]string{command}, b.arguments()...)
	if command == "run" {
		all = append([]string{command}, b.arguments("metrics")...)
	}
	cmd := b.command(ctx, append(all, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(begin)}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		b.t.Fatalf("hwrngd %s: %v", command, err)
	}
	if ctx.Err() != nil {
		b.t.Fatalf("hwrngd %s did not end within %s:\n%s", command, kit.Patience, r.stderr)
	}
	return r
}

// refused expects "hwrngd run" to end at once with a code and an explanation.
func (b *bench) refused(code int, parts []string, args ...string) {
	b.t.Helper()
	r := b.exec("run", args...)
	if r.code != code {
		b.t.Errorf("exit code %d, want %d:\n%s", r.code, code, r.stderr)
	}
	mustContain(b.t, r.stderr, parts...)
}
