package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

func TestCaptureHWRNG(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0"))
	goodFIFO(t, dir+"/hwrng")
	machine := []string{"hwrng", "--sysfs=" + dir + "/sys", "--procfs=" + dir + "/proc", "--hwrng-device=" + dir + "/hwrng"}
	out := dir + "/x"
	if got := capture(append(machine, "--samples=5000", "--out="+out)...); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if data := readPrivate(t, out); len(data) != 5000 || bytes.Count(data, data[:8]) != 1 {
		t.Errorf("%d bytes", len(data))
	}
	var h captureHeader
	if err := json.Unmarshal(readPrivate(t, out+".json"), &h); err != nil {
		t.Fatal(err)
	}
	if h.Jitter != nil || h.HWRNG == nil || h.HWRNG.Generator != "virtio_rng.0" || h.HWRNG.Device != dir+"/hwrng" || h.HWRNG.MinEntropy != 4 || h.CPU != "" || h.LoadEnd != nil {
		t.Errorf("%+v %+v", h, h.HWRNG)
	}
	// A rotation is the daemon's: it would begin with the one that is there.
	plant(t, dir, generators("none", "virtio_rng.0"))
	if got := capture(append(machine, "--samples=1000", "--hwrng-select=rotate")...); got.code != exitNoInput || !strings.Contains(got.stderr, "rng_current is none") {
		t.Errorf("rotate: %+v", got)
	}
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0"))
	if got := capture(append(machine, "--samples=1000", "--hwrng-deny=virtio_rng.0")...); got.code != exitUnavailable || got.stdout != "" || !strings.Contains(got.stderr, "is denied by configuration\nhint: ") {
		t.Errorf("denied: %+v", got)
	}
	if got := capture("hwrng", "--hwrng-device="+dir+"/none"); got.code != exitNoInput || !strings.Contains(got.stderr, dir+"/none: no such file or directory\nhint: ") {
		t.Errorf("missing: %+v", got)
	}
	if got := capture("hwrng", "--hwrng-device=/dev/urandom"); got.code != exitUsage || !strings.Contains(got.stderr, "cannot be a source") {
		t.Errorf("the kernel's own: %+v", got)
	}
	plant(t, dir, map[string]string{"recorded": strings.Repeat("0123456789", 100)})
	got := capture("hwrng", "--allow-file-source", "--sysfs="+dir, "--hwrng-device="+dir+"/recorded", "--samples=2000")
	if got.code != exitIO || len(got.stdout) != 1000-128 || !strings.Contains(got.stderr, "; the output is not complete\n") {
		t.Errorf("end of file: code %d, %d bytes, %s", got.code, len(got.stdout), got.stderr)
	}
}

func TestSourceErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		want string
	}{
		{&source.UnavailableError{Reason: "open /dev/hwrng: permission denied", Err: fs.ErrPermission}, exitPermission, "use sudo"},
		{&source.UnavailableError{Reason: "gone", Hint: "plug it in"}, exitNoInput, "plug it in"},
		{&source.UnavailableError{Reason: "denied", Hint: "allow it", Denied: true}, exitUnavailable, "allow it"},
		{&source.UnavailableError{Reason: "no", Denied: true, Err: &hwrng.RefusedError{Path: "/p", Why: "no", Hint: "another"}}, exitUsage, "another"},
		{&source.ChangedError{What: "generator", From: "a", To: "b"}, exitIO, "begin again"},
		{&source.UnavailableError{Reason: "in use", Hint: "stop it", Err: &linux.InUseError{Path: "/dev/x"}}, exitAlreadyRunning, "/dev/x is in use by another process\nhint: stop it"},
		{&source.UnavailableError{Reason: "may not", Hint: "join dialout", Err: fs.ErrPermission}, exitPermission, "join dialout"},
		{&source.FailedError{Reason: "failed for good", Hint: "restart"}, exitUnavailable, "restart"},
		{errors.New("input/output error"), exitIO, "read from /dev/x: input/output error"},
	} {
		var stderr bytes.Buffer
		code := (&Invocation{Stderr: &stderr}).Fail(sourceError(tt.err, source.Info{Name: "hwrng", Device: "/dev/x"}))
		if code != tt.code || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("%v: code %d, %s", tt.err, code, stderr.String())
		}
	}
	if err := sourceError(context.Canceled, source.Info{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
