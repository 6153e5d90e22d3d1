package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// A FIFO may be slow, and its writer may come and go late.
func TestAuditSlowFIFO(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fifo()
	r := b.audit(nil, b.device, "--output=json", "--until-confident", "--blocks=20")
	time.Sleep(50 * time.Millisecond)
	feeder, err := os.OpenFile(b.device, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	source := first(streamBytes(12), good())
	for chunk := make([]byte, 999); ; time.Sleep(time.Millisecond) {
		n, err := source.Read(chunk)
		if err != nil {
			break
		}
		if _, err := feeder.Write(chunk[:n]); err != nil {
			t.Fatal(err)
		}
	}
	feeder.Close()
	got := r.ends()
	if a := got.report(t); got.code != 65 || a.Verdict != "insufficient" || a.Reason != "only 12 of 20 blocks came" || a.Input.Kind != "pipe" {
		t.Errorf("exit code %d, %+v", got.code, a)
	}
}

// Ctrl-C ends an audit at once, whatever hangs, with the report of what came.
func TestAuditInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, tt := range []struct {
			blocks, wanted, code int
			verdict              string
		}{{0, 0, 65, "insufficient"}, {20, 0, 0, "pass"}, {20, 21, 65, "insufficient"}} {
			b := newBench(t)
			b.feed(first(streamBytes(tt.blocks), good()), pace{}) // and then silence
			args := []string{b.device, "--output=json", "--tee", filepath.Join(b.dir, "copy")}
			if tt.wanted > 0 {
				args = append(args, "--blocks=21")
			}
			r := b.audit(nil, args...)
			kit.Eventually(t, "everything was read", func() bool {
				info, err := os.Stat(filepath.Join(b.dir, "copy"))
				return err == nil && info.Size() == int64(streamBytes(tt.blocks))
			})
			r.signal(sig)
			got := r.ends()
			a := got.report(t)
			if got.code != tt.code || a.Verdict != tt.verdict || a.Input.Stopped != "interrupted" || a.Counts.Blocks != int64(tt.blocks) {
				t.Errorf("%v: exit code %d, %+v, %s", sig, got.code, a, got.stderr)
			}
		}
	}
}

// --tee keeps exactly what was audited, for its owner, and never in place of something else.
func TestAuditTee(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file, kept := b.data("data", 100_000, good()), filepath.Join(b.dir, "copy")
	got := b.audit(nil, file, "--blocks=15", "--tee", kept).ends()
	data := kit.ReadFile(t, kept)
	if got.code != 0 || data != kit.ReadFile(t, file)[:streamBytes(15)] {
		t.Errorf("exit code %d, %d bytes kept", got.code, len(data))
	}
	mustContain(t, got.stderr, "37504 bytes in "+kept+": never credit them to a kernel, and never make keys of them")
	if info, err := os.Stat(kept); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	got = b.audit(nil, file, "--tee", kept).ends()
	mustContain(t, got.stderr, kept+" exists, and a copy of the data never overwrites")
	if after := kit.ReadFile(t, kept); got.code != 2 || after != data {
		t.Errorf("exit code %d, %d bytes", got.code, len(after))
	}
}

// A device that fails in the middle: the report so far, and the exit code of the error.
func TestAuditReadErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := b.data("data", streamBytes(800), good())
	b.underStrace("-P", file, "-e", "trace=read", "-e", "inject=read:error=EIO:when=3+")
	got := b.audit(nil, file, "--output=json").ends()
	a := got.report(t)
	if got.code != 74 || a.Input.Stopped != "error" || a.Counts.Blocks < 100 || a.Counts.Blocks >= 800 || a.Verdict != "pass" {
		t.Errorf("exit code %d, %+v", got.code, a)
	}
	if a.Input.Error != "read "+file+": input/output error" {
		t.Errorf("error %q", a.Input.Error)
	}
	mustContain(t, got.stderr, " bytes, which the report is of: read "+file+": input/output error\n")

	b = newBench(t)
	got = b.audit(nil, "/proc/self/mem", "--output=json").ends()
	if a := got.report(t); got.code != 74 || a.Verdict != "insufficient" || a.Counts.Bytes != 0 {
		t.Errorf("exit code %d, %+v", got.code, a)
	}
}

// Whoever reads the report may be gone, and nobody may ever have been there. That never shows a trace
// of the program's inside.
func TestAuditOutputs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := b.data("data", streamBytes(30), good())
	for _, tt := range []struct {
		shell  string
		code   int
		stderr string
	}{
		{`"$0" audit "$1" >&-`, 0, ""},
		{`"$0" audit "$1" 2>&-`, 0, ""},
		{`"$0" audit "$1" --strict >&- 2>&-`, 0, ""},
		{`"$0" audit "$1" >/dev/full`, 74, "hwrngd: cannot write to standard output: no space left on device\n"},
		{`"$0" audit "$1" 2>/dev/full >/dev/full`, 74, ""},
		{`exec 3>&1; { { sleep 0.2; "$0" audit "$1" --output=json; echo $? >&3; } | :; } 3>code; exit $(cat code)`, 74, "hwrngd: cannot write to standard output: broken pipe\n"},
		{`"$0" audit "$1" | head -n 1 | grep -q '^PASS'`, 0, ""},
	} {
		cmd := exec.Command("sh", "-c", tt.shell, kit.Program(), file)
		cmd.Dir = b.dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != tt.code || stderr.String() != tt.stderr {
			t.Errorf("%s: exit code %d, want %d; %s", tt.shell, code, tt.code, stderr.String())
		}
	}
}

// FC-041: a device that only root may read is no reason to open it to everybody. FC-067: nor is a data
// pipe affected by it.
func TestFC041Permission(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	file := b.data("data", streamBytes(30), good())
	mustChmod(t, file, 0o600)
	node := filepath.Join(b.dir, "hwrng")
	b.uid = 65534
	got := b.audit(nil, file).ends()
	if got.code != 66 || got.stdout != "" || got.stderr != "hwrngd: cannot audit: open "+file+": permission denied\nhint: use sudo\n" {
		t.Errorf("file: exit code %d, %s", got.code, got.stderr)
	}
	if got := b.audit(first(streamBytes(30), good())).ends(); got.code != 0 {
		t.Errorf("pipe: exit code %d, %s", got.code, got.stderr)
	}
	if err := syscall.Mknod(node, syscall.S_IFCHR|0o600, 1<<8|5); err != nil {
		kit.Missing(t, "no device node: %v", err)
	}
	b.device = node
	got = b.audit(nil, "hwrng").ends()
	mustContain(t, got.stderr, "cannot audit: open "+node+": ", `hint: use sudo, or give a group the right to read it by a udev rule: KERNEL=="hwrng", GROUP="...", MODE="0640"`)
	if got.code != 66 {
		t.Errorf("device: exit code %d", got.code)
	}
}

// The device of this machine, for a moment.
func TestAuditRealDevice(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.sysfs, b.device = "/sys", "/dev/hwrng"
	name, err := os.ReadFile("/sys/class/misc/hw_random/rng_current")
	if err != nil || strings.TrimSpace(string(name)) == "none" {
		kit.Missing(t, "no generator behind /dev/hwrng")
	}
	got := b.audit(nil, "hwrng", "--bytes=3K", "--duration=20s").ends()
	mustContain(t, got.stdout, "INSUFFICIENT  1 block came", "/dev/hwrng (device), generator "+strings.TrimSpace(string(name)))
	if got.code != 65 {
		t.Errorf("exit code %d", got.code)
	}
	got = b.audit(nil, "/dev/urandom").ends()
	mustContain(t, got.stdout, "WARNING  /dev/urandom: this tests the kernel's own generator, not your hardware", "1000 of 1000 blocks")
	mustContain(t, got.stderr, "warning: /dev/urandom: this tests the kernel's own generator")
}
