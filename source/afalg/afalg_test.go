package afalg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// TestChoice: which generator is taken of those that a kernel lists, and what is claimed of it.
func TestChoice(t *testing.T) {
	for _, tt := range []struct {
		name      string
		list      []linux.CryptoRNG
		generator string
		driver    string
		claim     float64
		origin    string
		refusal   string // "" if there is none
		denied    bool
	}{
		{"an engine before the kernel's jitter", []linux.CryptoRNG{drbg, jitter, qcom}, "", "qcom-rng", 4, "default", "", false},
		{"the engine of the highest priority", []linux.CryptoRNG{qcom, caam}, Auto, "prng-caam", 4, "default", "", false},
		{"the kernel's jitter", []linux.CryptoRNG{drbg, jitter, sun4i}, Auto, "jitterentropy_rng", 1, "driver table", "", false},
		{"by name", []linux.CryptoRNG{qcom, jitter}, "jitterentropy_rng", "jitterentropy_rng", 1, "driver table", "", false},
		{"by name, not loaded yet", nil, "jitterentropy_rng", "jitterentropy_rng", 1, "driver table", "", false},
		{"by name, unknown", nil, "new-engine", "new-engine", 4, "default", "", false},
		{"a DRBG by name", []linux.CryptoRNG{drbg}, drbg.Driver, drbg.Driver, 0.01, "driver table", "", false},
		{"not tested by name", []linux.CryptoRNG{broken}, broken.Driver, broken.Driver, 4, "default", "", false},
		{"no DRBG by itself", []linux.CryptoRNG{drbg}, Auto, "", 4, "default", "only drbg_nopr_hmac_sha512", false},
		{"none that wants a seed", []linux.CryptoRNG{sun4i}, Auto, "", 4, "default", "only sun4i_ss_rng", false},
		{"none that wants a seed, by name", []linux.CryptoRNG{sun4i}, sun4i.Driver, "", 4, "default", "seed of 24 bytes", true},
		{"none that failed its test", []linux.CryptoRNG{broken}, Auto, "", 4, "default", "only broken-rng", false},
		{"empty list", nil, Auto, "", 4, "default", "none at all", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKernel(t, tt.list...)
			s := k.source(tt.generator)
			n, err := s.Read(t.Context(), make([]byte, 16))
			info := s.Info()
			if info.Driver != tt.driver || info.MinEntropy != tt.claim || info.ClaimOrigin != tt.origin || info.Kind != source.KindAFALG || info.Name != Name {
				t.Errorf("%+v", info)
			}
			if tt.refusal == "" {
				if n != 16 || err != nil || !slices.Equal(k.opens, []string{tt.driver}) || info.Note == "" {
					t.Errorf("%d, %v, opened %q, note %q", n, err, k.opens, info.Note)
				}
				return
			}
			out := sourcetest.Unavailable(err)
			if out == nil || !strings.Contains(out.Reason, tt.refusal) || out.Hint == "" || out.Denied != tt.denied || len(k.opens) > 0 {
				t.Errorf("%+v, opened %q", err, k.opens)
			}
			if watch := sourcetest.Unavailable(s.Watch()); watch == nil || watch.Reason != out.Reason {
				t.Errorf("Watch = %v", watch)
			}
		})
	}
}

func TestConfiguredClaim(t *testing.T) {
	s := newSource(Options{Procfs: newKernel(t, qcom).proc, Claim: 0.5}, nil, nil)
	defer s.Close()
	if err := s.Watch(); err != nil {
		t.Fatal(err)
	}
	if info := s.Info(); info.MinEntropy != 0.5 || info.ClaimOrigin != "configured" || info.Driver != "qcom-rng" {
		t.Errorf("%+v", info)
	}
}

// TestNoList: without a procfs, a generator has to be named.
func TestNoList(t *testing.T) {
	k := newKernel(t)
	k.proc = ""
	if _, err := k.source(Auto).Read(t.Context(), make([]byte, 8)); sourcetest.Unavailable(err) == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if n, err := k.source("qcom-rng").Read(t.Context(), make([]byte, 8)); n != 8 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestRead: reads are of at most 128 bytes, in order, by one handle.
func TestRead(t *testing.T) {
	k := newKernel(t, qcom)
	s := k.source(Auto)
	var got []byte
	for _, step := range []struct{ room, want int }{{2500, 128}, {128, 128}, {7, 7}, {0, 0}, {129, 128}} {
		buf := make([]byte, step.room)
		n, err := s.Read(t.Context(), buf)
		if n != step.want || err != nil {
			t.Fatalf("room for %d: %d, %v", step.room, n, err)
		}
		got = append(got, buf[:n]...)
	}
	if !bytes.Equal(got, bytesOf(0, len(got))) || len(k.opens) != 1 {
		t.Errorf("%x, %d opens", got, len(k.opens))
	}
}

// TestOpenFails: what a kernel or a sandbox answers that lets nobody in, and what helps.
func TestOpenFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		hint string
	}{
		{"no AF_ALG", syscall.EAFNOSUPPORT, "RestrictAddressFamilies"},
		{"no algif_rng", syscall.ENOENT, "modprobe algif_rng"},
		{"forbidden", syscall.EPERM, "sandbox"},
		{"self-test failed", syscall.ELIBBAD, "kernel log"},
		{"something else", syscall.ENOMEM, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKernel(t, qcom)
			k.openErr = &os.PathError{Op: "bind", Path: "AF_ALG rng qcom-rng", Err: tt.err}
			s := k.source(Auto)
			_, err := s.Read(t.Context(), make([]byte, 8))
			out := sourcetest.Unavailable(err)
			if out == nil || !errors.Is(err, tt.err) || !strings.Contains(out.Reason, "qcom-rng") || !strings.Contains(out.Hint, tt.hint) || out.Denied {
				t.Errorf("%#v", err)
			}
			k.set(func() { k.openErr = nil })
			if n, err := s.Read(t.Context(), make([]byte, 8)); n != 8 || err != nil {
				t.Errorf("once it opens: %d, %v", n, err)
			}
		})
	}
}

// TestReadFails: a failed read may pass, and the next one is by a fresh handle.
func TestReadFails(t *testing.T) {
	k := newKernel(t, jitter)
	k.readErr = &os.PathError{Op: "read", Path: "AF_ALG rng jitterentropy_rng", Err: syscall.EFAULT}
	s := k.source(Auto)
	if n, err := s.Read(t.Context(), make([]byte, 8)); n != 0 || !errors.Is(err, syscall.EFAULT) || sourcetest.Unavailable(err) != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := s.Read(t.Context(), make([]byte, 8)); n != 8 || err != nil || len(k.opens) != 2 || k.closes != 1 {
		t.Errorf("%d, %v, %d opens, %d closes", n, err, len(k.opens), k.closes)
	}
}

// TestAnotherGenerator: what the kernel lists when a generator fails decides anew, and that is reported.
func TestAnotherGenerator(t *testing.T) {
	k := newKernel(t, jitter)
	s := k.source(Auto)
	read := func() error {
		_, err := s.Read(t.Context(), make([]byte, 8))
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	k.list(jitter, qcom)
	if err := errors.Join(read(), s.Watch()); err != nil || s.Info().Driver != "jitterentropy_rng" {
		t.Errorf("while it works: %v, %s", err, s.Info().Driver)
	}
	k.set(func() { k.readErr = syscall.EIO })
	if err := read(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	change, _ := errors.AsType[*source.ChangedError](read())
	if change == nil || change.From != "jitterentropy_rng" || change.To != "qcom-rng" || s.Info().Driver != "qcom-rng" {
		t.Errorf("%+v, %s", change, s.Info().Driver)
	}
	if err := read(); err != nil || !slices.Equal(k.opens, []string{"jitterentropy_rng", "qcom-rng"}) || k.closes != 1 {
		t.Errorf("%v, opened %q, %d closes", err, k.opens, k.closes)
	}
}

// TestHang: a read that the kernel does not let go of ends with its context. Its bytes go to the next
// read, and Close does not wait for it.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, qcom)
		hang := make(chan struct{})
		k.hang = hang
		s := newSource(Options{Procfs: k.proc}, k.open, nil)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			begin := time.Now()
			n, err := s.Read(ctx, make([]byte, 64))
			cancel()
			if n != 0 || !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
				t.Errorf("%d, %v after %v", n, err, time.Since(begin))
			}
		}
		k.set(func() { k.hang = nil })
		close(hang)
		buf := make([]byte, 64)
		if n, err := s.Read(t.Context(), buf); !bytes.Equal(buf[:n], bytesOf(0, 64)) || err != nil {
			t.Errorf("%x, %v", buf[:n], err)
		}
		again := make(chan struct{})
		k.set(func() { k.hang = again })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Read(ctx, buf); err == nil {
			t.Error("no hang")
		}
		begin := time.Now()
		if err := s.Close(); err != nil || time.Since(begin) != 0 {
			t.Errorf("Close: %v after %v", err, time.Since(begin))
		}
		close(again)
		synctest.Wait()
		if k.closes != 1 {
			t.Errorf("%d closes at the end", k.closes)
		}
	})
}

// TestHangAndReload: after a reload nothing is opened while a call of before still hangs.
func TestHangAndReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t, qcom)
		hang := make(chan struct{})
		k.hang = hang
		read := func(s *Source) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := s.Read(ctx, make([]byte, 64))
			return err
		}
		before := newSource(Options{Procfs: k.proc}, k.open, nil)
		if err := read(before); err == nil {
			t.Error("no hang")
		}
		before.Close()
		s := newSource(Options{Procfs: k.proc}, k.open, before)
		defer s.Close()
		if err := read(s); !errors.Is(err, context.DeadlineExceeded) || len(k.opens) != 1 {
			t.Errorf("%v, opened %q", err, k.opens)
		}
		k.set(func() { k.hang = nil })
		close(hang)
		if err := read(s); err != nil || len(k.opens) != 2 || k.closes != 1 {
			t.Errorf("%v, opened %q, closed %d", err, k.opens, k.closes)
		}
	})
}

// TestProbe keeps the order and the reasons that a list of sources shows.
func TestProbe(t *testing.T) {
	list, err := Probe(newKernel(t, drbg, sun4i, jitter, qcom, broken, caam).proc)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range list {
		got = append(got, fmt.Sprintf("%s auto=%t named=%t", g.Driver, g.NotAuto == "" && g.Refused == "", g.Refused == ""))
	}
	want := []string{
		"prng-caam auto=true named=true", "qcom-rng auto=true named=true", "jitterentropy_rng auto=true named=true",
		"broken-rng auto=false named=true", "drbg_nopr_hmac_sha512 auto=false named=true", "sun4i_ss_rng auto=false named=false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
