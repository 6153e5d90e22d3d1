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
	"github.com/hwrngd/hwrngd/source/stream"
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
	open      opener
	reader    *stream.Reader
	generator Generator // the present one, with Driver "" before there is one
	works     bool      // it is open, so that it cannot go away
}

var _ source.Source = (*Source)(nil)

// New returns the source. It opens nothing before the first Read.
//
// After a reload, before is the source that this one takes the place of, whose Close has returned; else it is
// nil. If an engine hangs in a call of that one, the new source opens nothing before that has ended: there is
// never more than one stuck reader.
func New(opt Options, before *Source) *Source {
	return newSource(opt, func(driver string) (io.ReadCloser, error) {
		g, err := linux.OpenCryptoGenerator(driver)
		if err != nil {
			return nil, err // not a nil *linux.CryptoGenerator
		}
		return g, nil
	}, before)
}

func newSource(opt Options, open opener, before *Source) *Source {
	if opt.Generator == "" {
		opt.Generator = Auto
	}
	var after <-chan struct{}
	if before != nil {
		after = before.reader.Ended()
	}
	return &Source{opt: opt, open: open, reader: stream.New(after)}
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
	for {
		res, err := s.reader.Read(ctx, min(len(dst), maxRead), s.open.of(s.generator.Driver))
		if err != nil {
			return 0, err
		}
		s.works = res.Err == nil
		if res.Err != nil {
			return 0, res.Err
		}
		if len(res.Data) > 0 { // else it is of a generator that was left
			n := copy(dst, res.Data)
			clear(res.Data)
			return n, nil
		}
	}
}

// Watch implements [source.Source].
func (s *Source) Watch() error { return s.settle() }

// Close implements [source.Source].
func (s *Source) Close() error {
	s.reader.Close()
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
		s.reader.Drop()
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

// Supported returns why this process cannot read any generator of the crypto API, or nil. It opens none. Errors
// are an [*source.UnavailableError].
func Supported() error {
	if err := linux.HasCryptoSockets(); err != nil {
		return explain(err)
	}
	return nil
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
