package afalg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

const (
	// Name is the configured name of this source.
	Name = "afalg"
	// Auto stands for the best generator that the kernel has loaded.
	Auto = "auto"
)

// maxRead is the most that one read gives, in bytes.
const maxRead = linux.MaxCryptoRead

// Options configure the source.
type Options struct {
	Procfs    linux.Procfs // a mounted procfs, for the list of generators
	Generator string       // Auto, which "" means too, or a driver's name as in /proc/crypto
	Claim     float64      // bits per byte, 0 for what is known of the driver
}

// Source reads a generator of the kernel crypto API. It implements [source.Source].
type Source struct {
	opt       Options
	reader    *reader
	generator Generator // the present one, with Driver "" before there is one
	works     bool      // it is open, so that it cannot go away
}

var _ source.Source = (*Source)(nil)

// New returns the source. It opens nothing before the first Read.
func New(opt Options) *Source {
	return newSource(opt, func(driver string) (io.ReadCloser, error) {
		g, err := linux.OpenCryptoGenerator(driver)
		if err != nil {
			return nil, err // not a nil *linux.CryptoGenerator
		}
		return g, nil
	})
}

func newSource(opt Options, open opener) *Source {
	if opt.Generator == "" {
		opt.Generator = Auto
	}
	return &Source{opt: opt, reader: newReader(open)}
}

// Info implements [source.Source].
func (s *Source) Info() source.Info {
	g := s.generator
	info := source.Info{
		Name: Name, Kind: source.KindAFALG, Noise: source.NoiseHardware, Driver: g.Driver, Note: g.Note, MinEntropy: g.MinEntropy, ClaimOrigin: "default",
	}
	if g.Driver == jitterDriver {
		info.Noise = source.NoiseTiming
	}
	switch {
	case s.opt.Claim > 0:
		info.MinEntropy, info.ClaimOrigin = s.opt.Claim, "configured"
	case g.listed:
		info.ClaimOrigin = "driver table"
	case g.Driver == "":
		info.MinEntropy = engineClaim
	}
	return info
}

// Read implements [source.Source]. One call gives at most 128 bytes, the kernel's limit.
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	if err := s.settle(); err != nil {
		return 0, err
	}
	res, err := s.reader.read(ctx, s.generator.Driver, len(dst))
	if err != nil {
		return 0, err
	}
	s.works = res.opened && res.err == nil
	switch {
	case !res.opened:
		return 0, explain(res.err)
	case res.err != nil:
		return 0, res.err
	case len(res.data) == 0:
		return 0, fmt.Errorf("read AF_ALG rng %s: %w", res.driver, io.ErrNoProgress)
	}
	n := copy(dst, res.data)
	clear(res.data)
	return n, nil
}

// Watch implements [source.Source].
func (s *Source) Watch() error { return s.settle() }

// Close implements [source.Source].
func (s *Source) Close() error {
	s.reader.close()
	return nil
}

// settle makes sure that a generator is chosen.
func (s *Source) settle() error {
	if s.works {
		return nil
	}
	g, err := s.choose()
	if err != nil {
		return err
	}
	was := s.generator
	s.generator = g
	if was.Driver != "" && was.Driver != g.Driver {
		return &source.ChangedError{What: "generator", From: was.Driver, To: g.Driver}
	}
	return nil
}

// choose returns the generator to read.
func (s *Source) choose() (Generator, error) {
	list, err := Probe(s.opt.Procfs)
	if s.opt.Generator != Auto {
		// One that is not listed may be loaded when it is opened.
		g := describe(linux.CryptoRNG{Driver: s.opt.Generator, Module: "unknown", Passed: true})
		for _, found := range list {
			if found.Driver == s.opt.Generator {
				g = found
			}
		}
		if g.Refused != "" {
			return g, &source.UnavailableError{
				Reason: g.Driver + " cannot be a source: " + g.Refused, Hint: "choose the generator " + Auto, Denied: true,
			}
		}
		return g, nil
	}
	if err != nil {
		return Generator{}, &source.UnavailableError{
			Reason: "list the generators of the kernel crypto API: " + err.Error(), Err: err,
			Hint: "without a procfs, or a kernel that shows its crypto API there, name the generator",
		}
	}
	var names []string
	for _, g := range list {
		if g.Refused == "" && g.NotAuto == "" {
			return g, nil
		}
		names = append(names, g.Driver)
	}
	file, all := filepath.Join(string(s.opt.Procfs), "crypto"), "none at all"
	if len(names) > 0 {
		all = "only " + strings.Join(names, ", ")
	}
	return Generator{}, &source.UnavailableError{
		Reason: fmt.Sprintf("the kernel crypto API has no generator that is a noise source: %s lists %s", file, all),
		Hint:   "load the driver of the hardware's engine, or " + jitterDriver,
	}
}

// explain tells what it means that a generator does not open.
func explain(err error) error {
	out := &source.UnavailableError{Reason: err.Error(), Err: err}
	switch {
	case errors.Is(err, syscall.EAFNOSUPPORT):
		out.Hint = "the kernel needs CONFIG_CRYPTO_USER_API_RNG (module algif_rng), and a sandbox has to allow AF_ALG, as in systemd's RestrictAddressFamilies="
	case errors.Is(err, syscall.ENOENT):
		out.Hint = "modprobe algif_rng and the generator's driver; /proc/crypto lists what is loaded"
	case errors.Is(err, syscall.ELIBBAD):
		out.Hint = "the kernel's self-test of it failed: the kernel log says more, often that a module is missing"
	case errors.Is(err, os.ErrPermission):
		out.Hint = "a sandbox or security module forbids AF_ALG sockets"
	}
	return out
}
