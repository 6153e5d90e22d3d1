package afalg

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/test/kit"
)

// kernel is a crypto API on paper: what it lists, and generators that play a script.
type kernel struct {
	t    *testing.T
	proc linux.Procfs

	mu      sync.Mutex
	opens   []string
	closes  int
	openErr error
	readErr error         // of the next read
	hang    chan struct{} // reads wait until it is closed
	stream  io.Reader
}

func newKernel(t *testing.T, list ...linux.CryptoRNG) *kernel {
	t.Helper()
	k := &kernel{t: t, proc: linux.Procfs(t.TempDir()), stream: fipstest.NewShake("afalg")}
	k.list(list...)
	return k
}

// list writes /proc/crypto.
func (k *kernel) list(list ...linux.CryptoRNG) {
	k.t.Helper()
	var text strings.Builder
	for _, rng := range list {
		selftest := "unknown"
		if rng.Passed {
			selftest = "passed"
		}
		fmt.Fprintf(&text, "name         : stdrng\ndriver       : %s\nmodule       : %s\npriority     : %d\nselftest     : %s\ninternal     : no\ntype         : rng\nseedsize     : %d\n\n",
			rng.Driver, rng.Module, rng.Priority, selftest, rng.SeedSize)
	}
	kit.WriteFile(k.t, filepath.Join(string(k.proc), "crypto"), text.String(), 0o644)
}

// source makes a source on the kernel, closed at the end of the test.
func (k *kernel) source(generator string) *Source {
	s := newSource(Options{Procfs: k.proc, Generator: generator}, k.open, nil)
	k.t.Cleanup(func() { s.Close() })
	return s
}

func (k *kernel) set(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change()
}

func (k *kernel) open(driver string) (io.ReadCloser, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.openErr != nil {
		return nil, k.openErr
	}
	k.opens = append(k.opens, driver)
	return &handle{k}, nil
}

type handle struct{ k *kernel }

func (h *handle) Read(p []byte) (int, error) {
	h.k.mu.Lock()
	hang, err := h.k.hang, h.k.readErr
	h.k.readErr = nil
	h.k.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if err != nil {
		return 0, err
	}
	return io.ReadFull(h.k.stream, p)
}

func (h *handle) Close() error {
	h.k.set(func() { h.k.closes++ })
	return nil
}

// bytesOf is what generators give, from the offset on.
func bytesOf(offset, n int) []byte {
	data := make([]byte, offset+n)
	if _, err := io.ReadFull(fipstest.NewShake("afalg"), data); err != nil {
		panic(err)
	}
	return data[offset:]
}

// The generators that kernels list.
var (
	drbg   = linux.CryptoRNG{Driver: "drbg_nopr_hmac_sha512", Module: "drbg", Priority: 217, Passed: true}
	jitter = linux.CryptoRNG{Driver: "jitterentropy_rng", Module: "kernel", Priority: 100, Passed: true}
	qcom   = linux.CryptoRNG{Driver: "qcom-rng", Module: "qcom_rng", Priority: 300, Passed: true}
	caam   = linux.CryptoRNG{Driver: "prng-caam", Module: "caam", Priority: 500, Passed: true}
	sun4i  = linux.CryptoRNG{Driver: "sun4i_ss_rng", Module: "sun4i_ss", Priority: 900, SeedSize: 24, Passed: true}
	broken = linux.CryptoRNG{Driver: "broken-rng", Module: "broken", Priority: 999}
)
