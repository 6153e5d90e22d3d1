package hwrng

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// FC-094: touching some generators hangs the machine. While a denied one is current the device
// is neither opened nor read.
func TestSourceDenied(t *testing.T) {
	t.Run("from the start", func(t *testing.T) {
		r := newRig(t, virtio())
		r.opt.Deny = []string{"virtio_rng.0"}
		r.mkfifo()
		s := r.source()
		for range 3 {
			sourcetest.WantUnavailable(t, failing(t, s), "virtio_rng.0 is denied by configuration", "--hwrng-deny", true)
			sourcetest.WantUnavailable(t, s.Watch(), "virtio_rng.0 is denied by configuration", "--hwrng-deny", true)
		}
		notOpen(t, r.dev)

		r.set("rng_current", "a.rng\n")
		r.feed(append(stale(), "allowed"...))
		read(t, s, 64, "allowed")
	})
	t.Run("comes later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, virtio())
			r.opt.Deny = []string{"bad.rng"}
			s, p := r.playing(give(stale()), give([]byte("a")), step{data: []byte("?"), do: func() { r.set("rng_current", "bad.rng\n") }}, give(stale()), give([]byte("b")))
			defer p.release(s)
			read(t, s, 64, "a")
			sourcetest.WantUnavailable(t, failing(t, s), "bad.rng is denied", "--hwrng-deny", true)
			for range 3 {
				sourcetest.WantUnavailable(t, failing(t, s), "bad.rng is denied", "--hwrng-deny", true)
			}
			if _, reads, _ := p.counts(); reads != 3 {
				t.Errorf("%d reads", reads)
			}
			r.wantDropped(flushBytes + 1)
			r.set("rng_current", "virtio_rng.0\n")
			read(t, s, 64, "b")
		})
	})
	t.Run("not this device", func(t *testing.T) {
		// The class is about 10:183, and the configured device is not.
		r := newRig(t, virtio())
		r.set("dev", "10:183\n")
		r.set("rng_quality", "1\n")
		r.opt.Deny = []string{"virtio_rng.0"}
		r.mkfifo()
		s := r.source()
		r.feed(append(stale(), "a"...))
		read(t, s, 64, "a")
		if i := s.Info(); i.Driver != "" || i.MinEntropy != 4 || i.ClaimOrigin != "default" {
			t.Errorf("info is %+v", i)
		}
	})
}

// FC-007 and FC-015: nothing there yet is no failure, and each thing that appears is picked up.
func TestSourceAppears(t *testing.T) {
	r := newRig(t, nil)
	s := r.source()
	err := failing(t, s)
	sourcetest.WantUnavailable(t, err, "stat "+r.dev+": no such file or directory", "no driver", false)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("cause is not visible: %v", err)
	}
	sourcetest.WantUnavailable(t, s.Watch(), "no such file", "no driver", false)

	r.mkfifo()
	r.set("rng_current", "none\n")
	r.set("rng_available", "\n")
	sourcetest.WantUnavailable(t, failing(t, s), "device node present, but no driver behind it: rng_current is none, rng_available is empty", "load the driver", false)
	notOpen(t, r.dev)

	r.set("rng_available", "a.rng \n")
	r.set("rng_current", "a.rng\n")
	r.feed(append(stale(), "at last"...))
	read(t, s, 64, "at last")
	if got := s.Info().Driver; got != "a.rng" {
		t.Errorf("driver is %q", got)
	}
}

// Without a class, as with a hw_random that is no module of this kernel, the device still counts.
func TestSourceWithoutClass(t *testing.T) {
	r := newRig(t, nil)
	r.mkfifo()
	s := r.source()
	r.feed(append(stale(), "a"...))
	read(t, s, 64, "a")
	if i := s.Info(); i.Driver != "" || i.MinEntropy != 4 || i.Kind != source.KindFile {
		t.Errorf("info is %+v", i)
	}
}

func TestSourceFIFOEnds(t *testing.T) {
	r := newRig(t, virtio())
	r.mkfifo()
	s := r.source()
	for _, text := range []string{"first", "second"} {
		go func() {
			// Waits for the source to open the other end.
			f, err := os.OpenFile(r.dev, os.O_WRONLY, 0)
			if err != nil {
				return
			}
			f.Write(append(stale(), text...))
			f.Close()
		}()
		read(t, s, 64, text)
		sourcetest.WantUnavailable(t, failing(t, s), r.dev+" came to its end: the device is gone or nobody writes to it", "", false)
	}
	r.wantDropped(2 * flushBytes)
}

func TestSourceReadErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		reason string // "" for an error that may pass
		hint   string
	}{
		{"I/O error", syscall.EIO, "", ""},
		{"no data now", syscall.EAGAIN, "", ""},
		{"driver regression", syscall.EINVAL, "", ""},
		{"timed out", syscall.ETIMEDOUT, "", ""},
		{"no driver", syscall.ENODEV, "device node present, but no driver behind it: no such device; rng_current is virtio_rng.0", "load the driver"},
		{"end", io.EOF, "came to its end", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, virtio())
				s, p := r.playing(give(stale()), give([]byte("a")), fail(c.err))
				defer p.release(s)
				read(t, s, 64, "a")
				err := failing(t, s)
				if !errors.Is(err, c.err) {
					t.Errorf("cause is not visible: %v", err)
				}
				if c.reason != "" {
					sourcetest.WantUnavailable(t, err, c.reason, c.hint, false)
					// The device is opened anew, so its first bytes are anybody's.
					p.steps <- give(stale())
				} else if sourcetest.Unavailable(err) != nil {
					t.Errorf("got %v, want an error that may pass", err)
				}
				p.steps <- give([]byte("b"))
				read(t, s, 64, "b")
			})
		})
	}
}

func TestSourceOpenErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, virtio())
		s, p := r.playing(give(stale()), give([]byte("a")))
		defer p.release(s)
		p.openErr = func(n int) error {
			switch n {
			case 1:
				return &source.UnavailableError{Reason: "open x: permission denied", Err: os.ErrPermission}
			case 2:
				return &RefusedError{Path: "x", Why: "it became a regular file", Hint: "do not"}
			}
			return nil
		}
		err := failing(t, s)
		sourcetest.WantUnavailable(t, err, "open x: permission denied", "", false)
		if !errors.Is(err, os.ErrPermission) {
			t.Error(err)
		}
		sourcetest.WantUnavailable(t, failing(t, s), "x cannot be a source: it became a regular file", "do not", true)
		read(t, s, 64, "a")
	})
}

// FC-002 and FC-097, through the whole source: refused for good, and never opened.
func TestSourceRefuses(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		make         func(path string) error
	}{
		{"file", "it is a regular file", func(path string) error { return os.WriteFile(path, make([]byte, 7500), 0o600) }},
		{"link to urandom", "it is the kernel's own /dev/urandom", func(path string) error { return os.Symlink("/dev/urandom", path) }},
		{"directory", "it is a directory", func(path string) error { return os.Mkdir(path, 0o755) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, virtio())
			if err := c.make(r.dev); err != nil {
				t.Fatal(err)
			}
			s := r.source()
			sourcetest.WantUnavailable(t, failing(t, s), r.dev+" cannot be a source: "+c.reason, " ", true)
			sourcetest.WantUnavailable(t, s.Watch(), c.reason, " ", true)
			// The reader's goroutine was not even asked.
			if s.reader.pending {
				t.Error("tried to open it")
			}
		})
	}
}

// The name can lead elsewhere between the look at it and the open.
func TestOpenVetsWhatItOpened(t *testing.T) {
	r := newRig(t, nil)
	if err := os.Symlink("/dev/urandom", r.dev); err != nil {
		t.Fatal(err)
	}
	if dev, err := r.opt.open(); dev != nil {
		t.Error("opened /dev/urandom")
	} else if _, ok := errors.AsType[*RefusedError](err); !ok {
		t.Error(err)
	}
	if err := os.Remove(r.dev); err != nil {
		t.Fatal(err)
	}
	dev, err := r.opt.open()
	if dev != nil {
		t.Error("opened nothing")
	}
	sourcetest.WantUnavailable(t, err, "no such file", "no driver", false)
}

// FC-097: a file is read once, and at its end is not begun again, however often it is asked.
func TestSourceFile(t *testing.T) {
	r := newRig(t, nil)
	r.opt.AllowFile = true
	content := make([]byte, 3*maxRead)
	for i := range content {
		content[i] = byte(i / 100)
	}
	kit.WriteFile(t, r.dev, content, 0o600)
	s := r.source()
	var got []byte
	for buf := make([]byte, maxRead); ; {
		n, err := s.Read(t.Context(), buf)
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		got = append(got, buf[:n]...)
	}
	if !bytes.Equal(got, content[flushBytes:]) {
		t.Errorf("got %d of %d bytes", len(got), len(content))
	}
	for range 3 * reopenAfter {
		if err := failing(t, s); err != io.EOF {
			t.Errorf("past the end: %v", err)
		}
	}
}

// Steady errors of a real file, as with hardware that is dead.
func TestSourceDeadDevice(t *testing.T) {
	r := newRig(t, nil)
	r.opt.AllowFile = true
	if err := os.Symlink("/proc/self/mem", r.dev); err != nil { // EIO at offset 0
		t.Fatal(err)
	}
	s := r.source()
	for range 2 * reopenAfter {
		if err := failing(t, s); !errors.Is(err, syscall.EIO) || sourcetest.Unavailable(err) != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(r.dev); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/null", r.dev); err != nil { // ends at once
		t.Fatal(err)
	}
	kit.Eventually(t, "the other device is opened", func() bool { return sourcetest.Unavailable(failing(t, s)) != nil })
}
