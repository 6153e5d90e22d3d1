package tpm

import (
	"math"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

const (
	// Name is the configured name of this source.
	Name = "tpm"
	// DefaultDevice is the resource manager of the first TPM, which other programs use beside this one.
	DefaultDevice = "/dev/tpmrm0"
	// DefaultMinEntropy is the claim in bits per byte where none is configured. See the package's
	// documentation.
	DefaultMinEntropy = 1.0
)

const (
	// rate is the most that is read of a TPM once it has given its start-up block, in bytes a second.
	rate = 128

	// busyFirst is the pause after the first answer that the TPM is busy. It doubles with each further one;
	// after busyTries of them, 10 s, the answer counts as an error. For some of them the kernel
	// has asked in the same way before, for 4 s (drivers/char/tpm/tpm-interface.c, tpm_transmit).
	busyFirst = 20 * time.Millisecond
	busyTries = 9
)

// Options configure the source.
type Options struct {
	Device   string // path of the TPM's device
	Sysfs    linux.Sysfs
	Claim    float64 // in bits per byte, 0 for DefaultMinEntropy
	Recorder source.Recorder
}

// Source asks a TPM. It implements [source.Source].
type Source struct {
	opt     Options
	reader  *stream.Reader
	dropped *source.Dropped
	open    func(linux.Node) (transport, error)
	info    source.Info

	node    linux.Node // that the device led to when last looked at
	settled bool       // node is known
	late    bool       // what the request under way brings is of another node
	given   int        // bytes since the start
	pace    time.Time  // no command before this
}

var (
	_ source.Source  = (*Source)(nil)
	_ source.Dropper = (*Source)(nil)
)

// New returns the source. It opens nothing yet.
//
// After a reload, before is the source that this one takes the place of, whose Close has returned; else it
// is nil. If that one left a command to the same device hanging, the new source sends its first only after
// that has ended: there is never more than one stuck reader.
func New(opt Options, before *Source) *Source { return newSource(opt, opt.open, before) }

func newSource(opt Options, open func(linux.Node) (transport, error), before *Source) *Source {
	s := &Source{opt: opt, open: open, dropped: source.NewDropped(opt.Recorder)}
	s.info = source.Info{
		Name: Name, Kind: source.KindTPM, Noise: source.NoiseTPM, Device: opt.Device, MinEntropy: DefaultMinEntropy, ClaimOrigin: "default",
		Note: "TPM: slow, output is that of a DRBG: block tests cannot see a dead noise source behind it",
	}
	if opt.Claim > 0 {
		s.info.MinEntropy, s.info.ClaimOrigin = opt.Claim, "configured"
	}
	var after <-chan struct{}
	if before != nil && before.opt.Device == opt.Device {
		after = before.reader.Ended()
	}
	s.reader = stream.New(after)
	s.reader.Stale = math.MaxInt64 // nothing lies ready
	return s
}
