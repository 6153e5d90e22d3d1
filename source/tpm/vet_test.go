package tpm

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

const generators = "class/misc/hw_random/rng_available"

// TestVet: nothing is opened, let alone written to, that is no TPM 2.0, or that the kernel reads by itself.
func TestVet(t *testing.T) {
	for _, tt := range []struct {
		name         string
		setup        func(*board)
		reason, hint string // "" if it is read
	}{
		{"sysfs does not know it", func(*board) {}, "", ""},
		{"resource manager", func(b *board) { b.class("tpmrm", "tpmrm0") }, "", ""},
		{"chip itself", func(b *board) { b.class("tpm", "tpm0") }, "", ""},
		{"software TPM", func(b *board) { b.class("cuse", "vtpm") }, "", ""},
		{"TPM 2.0", func(b *board) { b.class("tpm", "tpm0"); b.plant("class/tpm/tpm0/tpm_version_major", "2\n") }, "", ""},
		{"other generators", func(b *board) { b.class("tpmrm", "tpmrm0"); b.plant(generators, "ccp-1-rng virtio_rng.0 none\n") }, "", ""},
		{"another TPM is read", func(b *board) { b.class("tpmrm", "tpmrm0"); b.plant(generators, "tpm-rng-1 \n") }, "", ""},

		{"TPM 1.2", func(b *board) { b.class("tpm", "tpm0"); b.plant("class/tpm/tpm0/tpm_version_major", "1\n") }, "is a TPM 1.2", "tpm-rng-0"},
		{"read through /dev/hwrng", func(b *board) { b.class("tpmrm", "tpmrm0"); b.plant(generators, "virtio_rng.0 tpm-rng-0 none\n") }, "among its generators as tpm-rng-0", "hwrng-select"},
		{"second one, read", func(b *board) { b.class("tpm", "tpm1"); b.plant(generators, "tpm-rng-0 tpm-rng-1\n") }, "as tpm-rng-1", "hwrng-select"},
		{"read under a name of old", func(b *board) { b.class("tpmrm", "tpmrm0"); b.plant(generators, "tpm-rng\n") }, "as tpm-rng", "hwrng-select"},
		{"which one is not known, one is read", func(b *board) { b.plant(generators, "tpm-rng-3\n") }, "as tpm-rng-3", "hwrng-select"},
		{"memory", func(b *board) { b.class("mem", "null") }, "is no TPM but the device null of class mem", "/dev/tpmrm0"},
		{"kernel's generator", func(b *board) { b.link("/dev/urandom") }, "is no TPM but a character device 1:9", "/dev/tpmrm0"},
		{"regular file", func(b *board) { b.link(b.file("disk.img")) }, "is no TPM but a regular file", "/dev/tpmrm0"},
		{"directory", func(b *board) { b.link("/") }, "is no TPM but a directory", "/dev/tpmrm0"},
		{"FIFO", func(b *board) { b.link(b.fifo()) }, "is no TPM but a FIFO", "/dev/tpmrm0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBoard(t)
			tt.setup(b)
			s := b.source()
			n, err := s.Read(t.Context(), make([]byte, 8))
			if tt.reason == "" {
				if n != 8 || err != nil {
					t.Errorf("%d, %v", n, err)
				}
				return
			}
			u := sourcetest.Unavailable(err)
			if u == nil || !u.Denied || !strings.Contains(u.Reason, b.opt.Device) || !strings.Contains(u.Reason, tt.reason) || !strings.Contains(u.Hint, tt.hint) {
				t.Errorf("%+v", err)
			}
			if b.opens != 0 {
				t.Errorf("opened %d times", b.opens)
			}
			if watch := sourcetest.Unavailable(s.Watch()); watch == nil || watch.Reason != u.Reason {
				t.Errorf("Watch: %v", watch)
			}
		})
	}
}

// TestLateGenerator: the kernel may take the TPM for itself at any time, as when a module is loaded.
func TestLateGenerator(t *testing.T) {
	b := newBoard(t)
	b.class("tpmrm", "tpmrm0")
	b.plant(generators, "none\n")
	s := b.source()
	if _, err := s.Read(t.Context(), make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(string(b.opt.Sysfs), generators)
	kit.WriteFile(t, list, "tpm-rng-0 none\n", 0o644)
	if u := sourcetest.Unavailable(s.Watch()); u == nil || !u.Denied {
		t.Errorf("%+v", u)
	}
	if _, err := s.Read(t.Context(), make([]byte, 8)); sourcetest.Unavailable(err) == nil {
		t.Errorf("%v", err)
	}
	kit.WriteFile(t, list, "none\n", 0o644)
	if n, err := s.Read(t.Context(), make([]byte, 8)); n != 8 || err != nil || b.opens != 2 {
		t.Errorf("%d, %v, %d opens", n, err, b.opens)
	}
}

// TestNoDevice: a machine without a TPM, or before its driver is loaded.
func TestNoDevice(t *testing.T) {
	b := newBoard(t)
	b.link(filepath.Join(t.TempDir(), "nothing"))
	if u := sourcetest.Unavailable(second(b.source().Read(t.Context(), make([]byte, 8)))); u == nil || u.Denied || !strings.Contains(u.Hint, "tpm_tis") {
		t.Errorf("%+v", u)
	}
}

// file makes a regular file.
func (b *board) file(name string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	kit.WriteFile(b.t, path, "precious", 0o600)
	return path
}

func (b *board) fifo() string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}
