// Package hwrng is the source behind /dev/hwrng: the kernel's hardware generators, their
// selection through sysfs, and what is known of their drivers.
//
// The kernel puts one generator at a time behind the device and may put another one there at any
// moment, without telling anybody. So the name of the current one is read before and after each
// read, and data that came between two names is dropped.
package hwrng

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// Name is the configured name of this source.
const Name = "hwrng"

const (
	// flushBytes are dropped after an open or a switch: the hw_random core keeps up to one buffer
	// (32 bytes or a cache line, at most 64 seen, twice that for safety) of the generator before.
	flushBytes = 128

	// readTarget is how long one read of a slow device should take at most, so that health tests
	// and the stall limit see its data soon.
	readTarget = 500 * time.Millisecond

	// storeRead is the most that the first read asks for; until a block was read, none asks for more than
	// came before. What a device or its driver had in store makes it look fast. The slowest device
	// known, of 20 bytes a second, takes 13 s for it, after 15 s without data it would count as silent.
	storeRead = 256

	// tpmRate caps what is read of a TPM once it has passed its start-up test, in bytes a second.
	// Firmware TPMs stall the whole machine while they work.
	tpmRate = 128
)

// Options configure the source.
type Options struct {
	Device  string // path of the node
	Sysfs   linux.Sysfs
	Select  string        // Keep, Best, Rotate or a generator's name
	Turn    time.Duration // with Rotate, of each generator after its start-up block; 0 for DefaultTurn
	Deny    []string      // generators never to be read
	Entropy float64       // claim in bits per byte, 0 for the driver table's
	// FailureRate is the share of FIPS 140-2 blocks that the part is documented to fail although it
	// works, 0 for the driver table's.
	FailureRate float64
	AllowFile   bool        // accept a regular file as device, for tests
	Class       func(Class) // told what the hw_random class shows, at each change; may be nil
	Recorder    source.Recorder
	Log         *slog.Logger
}

// Source reads /dev/hwrng. It implements [source.Source].
type Source struct {
	opt      Options
	selector *selector
	reader   *reader
	dropped  *source.Dropped

	info      source.Info
	node      linux.Node // that info.Device led to when last looked at
	settled   bool       // info.Driver is known
	class     Class
	late      bool      // what the request under way brings is of before the last switch
	flush     int       // bytes still to be dropped
	delivered int       // bytes since the last open or switch
	pace      time.Time // no read before this
	rate      source.Rate
}

// New returns the source. It opens nothing yet.
//
// After a reload, before is the source that this one takes the place of, whose Close has returned;
// else it is nil. If that one left a read of the same device hanging, the new source reads only
// after it has ended: there is never more than one stuck reader.
func New(opt Options, before *Source) *Source {
	s := &Source{
		opt:      opt,
		dropped:  source.NewDropped(opt.Recorder),
		selector: &selector{sys: opt.Sysfs, want: opt.Select, deny: opt.Deny, log: opt.Log.With("source", Name)},
	}
	s.selector.rotation.turn = cmp.Or(opt.Turn, DefaultTurn)
	s.info = opt.describe(opt.Device, linux.Node{}, "")
	var after <-chan struct{}
	if before != nil && before.opt.Device == opt.Device {
		after = before.reader.ended
	}
	s.reader = newReader(opt.open, after)
	return s
}

// open runs on the reader's goroutine.
func (o Options) open() (device, error) {
	path, _, err := Locate(o.Device, o.AllowFile)
	if err != nil {
		return nil, err
	}
	dev, err := linux.OpenDevice(path)
	if err != nil {
		return nil, &source.UnavailableError{Reason: err.Error(), Err: err}
	}
	// The name may lead elsewhere than a moment ago.
	if err := Vet(path, dev.Node(), o.AllowFile); err != nil {
		dev.Close()
		return nil, err
	}
	return dev, nil
}

// Info implements [source.Source].
func (s *Source) Info() source.Info { return s.info }

// Watch implements [source.Source].
func (s *Source) Watch() error {
	err := s.settle()
	s.observe() // after what settle may have changed
	return err
}

// settle makes sure that the node is there and the wanted generator behind it.
func (s *Source) settle() error {
	path, node, err := Locate(s.opt.Device, s.opt.AllowFile)
	before := s.node
	s.node = node
	if err != nil {
		s.settled = false
		if refused, ok := errors.AsType[*RefusedError](err); ok {
			return &source.UnavailableError{Reason: refused.Error(), Hint: refused.Hint, Denied: true, Err: err}
		}
		return err
	}
	driver := ""
	inTurn := s.selector.rotation.running() // also the last change, by whoever ends it
	if described(node, s.opt.Sysfs) {
		if driver, err = s.selector.settle(); err != nil {
			s.settled = false
			return err
		}
	}
	known, was := s.settled, s.info
	s.settled = true
	s.info = s.opt.describe(path, node, driver)
	switch {
	case !known:
		s.startFlush()
	case s.info.Driver != was.Driver:
		s.startFlush()
		return &source.ChangedError{What: "generator", From: generator(was), To: generator(s.info), InTurn: inTurn}
	case s.info.Device != was.Device:
		s.startFlush()
		return &source.ChangedError{What: "generator", From: was.Device, To: s.info.Device}
	case !node.Same(before):
		s.startFlush()
		return &source.ChangedError{What: "device", From: path, To: "a new file of that name"}
	case s.info.MinEntropy != was.MinEntropy: // somebody wrote rng_quality
		return &source.ChangedError{What: "claim", From: claim(was), To: claim(s.info)}
	}
	return nil
}

// observe reports what the class shows if it is news.
func (s *Source) observe() {
	if class := ReadClass(s.opt.Sysfs); !class.equal(s.class) {
		s.class = class
		if s.opt.Class != nil {
			s.opt.Class(class)
		}
	}
}

// Rotation implements [source.Rotator]. Rotate ends when somebody else chooses the generator, or when nobody
// here may.
func (s *Source) Rotation() *source.Rotation { return s.selector.rotation.state.Load() }

// Shun implements [source.Shunner]: with Best, the next best generator takes the place of this one for a
// while, with Rotate the next one.
func (s *Source) Shun() { s.selector.shun(s.info.Driver) }

func generator(i source.Info) string {
	if i.Driver == "" {
		return i.Device
	}
	return i.Driver
}

func claim(i source.Info) string {
	return fmt.Sprintf("%.3g bits per byte (%s)", i.MinEntropy, i.ClaimOrigin)
}

// Close implements [source.Source]. It puts rng_current back if it was changed here.
func (s *Source) Close() error {
	s.reader.close()
	s.selector.restore()
	return nil
}
