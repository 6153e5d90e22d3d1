//go:build !minimal

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// TestAuditInputs: what the argument means, and how much of it is read.
func TestAuditInputs(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0 tpm-rng-0"))
	plant(t, dir, map[string]string{"data": string(fipstest.G1(20)), "hwrngd.toml": fmt.Sprintf("hwrng-device = %q\n", dir+"/data"), "broken.toml": "x"})
	if err := os.Symlink("/dev/urandom", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			_, _ = f.Write(fipstest.G1(20))
			f.Close()
		}
	}()
	const kernel = "this tests the kernel's own generator, not your hardware"
	for _, tt := range []struct {
		name      string
		environ   []string
		args      []string
		kind      string
		input     string
		wanted    int64
		warning   string
		generator string
	}{
		{"file", nil, []string{dir + "/data"}, kindFile, dir + "/data", 0, "", ""},
		{"FIFO", nil, []string{pipe}, kindPipe, pipe, 0, "", ""},
		{"device without an end", nil, []string{"/dev/zero"}, kindDevice, "/dev/zero", 1000, "", ""},
		{"device with a limit", nil, []string{"/dev/zero", "--blocks=20"}, kindDevice, "/dev/zero", 20, "", ""},
		{"device for a time", nil, []string{"/dev/zero", "--duration=50ms"}, kindDevice, "/dev/zero", 0, "", ""},
		{"urandom", nil, []string{"/dev/urandom", "--blocks=20"}, kindDevice, "/dev/urandom", 20, "/dev/urandom: " + kernel, ""},
		{"random", nil, []string{"/dev/random", "--blocks=20"}, kindDevice, "/dev/random", 20, "/dev/random: " + kernel, ""},
		{"link to urandom", nil, []string{dir + "/link", "--blocks=20"}, kindDevice, dir + "/link", 20, "/dev/urandom: " + kernel, ""},
		{"hwrng", nil, []string{"hwrng", "--hwrng-device=" + dir + "/data", "--sysfs=" + dir + "/sys"}, kindFile, dir + "/data", 0, "", "virtio_rng.0"},
		{"hwrng by the configuration", nil, []string{"hwrng", "--config=" + dir + "/hwrngd.toml", "--sysfs=" + dir + "/sys"}, kindFile, dir + "/data", 0, "", "virtio_rng.0"},
		{"no use for a configuration", []string{"HWRNGD_CONFIG=" + dir + "/broken.toml"}, []string{dir + "/data"}, kindFile, dir + "/data", 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if raceDetector && tt.wanted >= deviceBlocks {
				t.Skip("takes long")
			}
			got := call(tt.environ, append([]string{"audit", "--output=json"}, tt.args...)...)
			r := parseAudit(t, got.stdout)
			in := r.Input
			if in.Kind != tt.kind || in.Name != tt.input || in.Wanted != tt.wanted || in.Warning != tt.warning || in.Generator != tt.generator {
				t.Errorf("%+v; %s", in, got.stderr)
			}
			if (r.Timing != nil) != (tt.kind == kindDevice) {
				t.Errorf("timing %+v", r.Timing)
			}
			if tt.warning != "" && got.stderr != "hwrngd: warning: "+tt.warning+"\n" {
				t.Errorf("stderr %q", got.stderr)
			}
		})
	}
}

// TestAuditKernelByStdin: standard input is looked at too.
func TestAuditKernelByStdin(t *testing.T) {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := parseAudit(t, auditOf(f, "--output=json", "--blocks=12").stdout)
	if r.Input.Name != stdinName || r.Input.Kind != kindDevice || r.Run.Blocks != 12 || !strings.Contains(r.Input.Warning, "not your hardware") {
		t.Errorf("%+v", r.Input)
	}
	text := auditOf(f, "-", "--blocks=12").stdout
	if !strings.Contains(text, "\nWARNING  /dev/urandom: this tests the kernel's own generator, not your hardware\n") {
		t.Error(text)
	}
}

// TestAuditGeneratorChanges: a report of two generators says so.
func TestAuditGeneratorChanges(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("a.rng", "a.rng b.rng"))
	changing := readerFunc(func(p []byte) (int, error) {
		plant(t, dir, generators("b.rng", "a.rng b.rng"))
		return len(p), nil
	})
	inv := &Invocation{Stdin: changing, Stdout: os.Stdout, Stderr: os.Stderr}
	cfg := &Config{Sysfs: dir + "/sys", HWRNGDevice: stdinName}
	a := &auditing{inv: inv, cfg: cfg, opt: &auditOptions{blocks: 12}, in: &auditInput{name: stdinName, kind: kindDevice, reader: changing, close: func() {}}, out: &auditOutput{}}
	r, err := a.report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := "the kernel changed the generator behind the device from a.rng to b.rng meanwhile: the figures are of both"; r.Input.Warning != want || r.Input.Generator != "b.rng" {
		t.Errorf("%+v", r.Input)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// FC-041: who may not read the device is told what to do, and not to open it to everybody.
func TestAuditOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		kind, name string
		err        error
		code       int
		want       string
	}{
		{kindDevice, "/dev/hwrng", syscall.EACCES, exitNoInput, `hint: use sudo, or give a group the right to read it by a udev rule: KERNEL=="hwrng", GROUP="...", MODE="0640"`},
		{kindFile, "data", fs.ErrPermission, exitNoInput, "hint: use sudo\n"},
		{kindDevice, "/dev/hwrng", syscall.EPERM, exitNoInput, "hint: something forbids it whatever the rights, such as the device rules of a container"},
		{kindDevice, "/dev/ttyACM0", syscall.EBUSY, exitAlreadyRunning, "hint: 'fuser /dev/ttyACM0' tells who has it"},
		{kindDevice, "/dev/hwrng", syscall.ENODEV, exitNoInput, "cannot audit: open /dev/hwrng: no such device\n"},
	} {
		var stderr strings.Builder
		in := &auditInput{name: tt.name, kind: tt.kind}
		code := (&Invocation{Stderr: &stderr}).Fail(in.openError(&os.PathError{Op: "open", Path: tt.name, Err: tt.err}))
		if code != tt.code || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("%v: code %d, %s", tt.err, code, stderr.String())
		}
	}
	in := &auditInput{name: "x", kind: kindDevice}
	if err := in.open(canceled(t)); !errors.Is(err, context.Canceled) && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// canceled is the context of somebody who has pressed Ctrl-C.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestAuditWaitsForWriter: Ctrl-C ends the wait for the writer of a FIFO, and there still is a report.
func TestAuditWaitsForWriter(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code := dispatch(canceled(t), process{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}, []string{"audit", pipe, "-o", "json"})
	r := parseAudit(t, stdout.String())
	if code != exitTooLittleData || r.Input.Stopped != stoppedInterrupted || r.Input.Kind != kindPipe || r.Run.Bytes != 0 || stderr.String() != "" {
		t.Errorf("code %d, %+v, %s", code, r.Input, stderr.String())
	}
	if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil { // let the goroutine end
		f.Close()
	}
}

// TestLimitOf: only what never ends has a limit of its own.
func TestLimitOf(t *testing.T) {
	for kind, want := range map[string]int64{kindFile: 0, kindPipe: 0, kindDevice: deviceBlocks, kindTerminal: deviceBlocks} {
		if n, _ := new(auditOptions).limitOf(&auditInput{kind: kind}); n != want {
			t.Errorf("%s: %d blocks", kind, n)
		}
		if n, stopped := (&auditOptions{bytes: 3*fips.BlockBytes + bootBytes + 7}).limitOf(&auditInput{kind: kind}); n != 3 || stopped != stoppedBytes {
			t.Errorf("%s by bytes: %d blocks, %s", kind, n, stopped)
		}
	}
	if in := (&auditInput{node: linux.Node{Type: linux.CharDevice, Major: 1, Minor: 11}}); in.kernelWarning() != "" {
		t.Error("the kernel's log is not its generator")
	}
}

// TestAuditProvenance: where the data are from is in the text, too.
func TestAuditProvenance(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0"))
	plant(t, dir, map[string]string{
		classDir + "rng_quality": "900\n", "sys/firmware/devicetree/base/model": "Board 1\x00",
		"proc/sys/kernel/osrelease": "6.1.0\n", "proc/cpuinfo": "model name : CPU 1\n", "data": string(fipstest.G1(20)),
	})
	got := inDir(t, dir, func() result {
		return call(nil, "audit", "hwrng", "--config=/dev/null", "--sysfs=sys", "--procfs=proc", "--hwrng-device=data", "--label=unit\n7")
	})
	const want = "label    unit\\n7\n" +
		"input    data (file), generator virtio_rng.0, quality 900/1024\n" +
		"read     20 blocks (50 kB) in 50004 bytes, to the end\n" +
		"machine  Board 1, Linux 6.1.0, CPU 1\n"
	if got.code != exitOK || !strings.Contains(got.stdout, want) {
		t.Errorf("%+v, want %s", got, want)
	}
}

func TestDescribe(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after hwrng.Class
		want          audit.Input
	}{
		{"nothing known", hwrng.Class{}, hwrng.Class{}, audit.Input{}},
		{
			"not stated",
			hwrng.Class{Current: "a"},
			hwrng.Class{Current: "a", Available: []string{"a", "b"}, Quality: 1024},
			audit.Input{Generator: "a", Available: []string{"a", "b"}, Quality: "1024"},
		},
		{"stated", hwrng.Class{Current: "a"}, hwrng.Class{Current: "a", Quality: 7, QualityStated: true}, audit.Input{Generator: "a", Quality: "7"}},
		{
			"gone",
			hwrng.Class{Current: "a"},
			hwrng.Class{},
			audit.Input{Warning: "the kernel changed the generator behind the device from a to none meanwhile: the figures are of both"},
		},
	} {
		var got audit.Input
		if describe(&got, tt.before, tt.after); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
