// Package tty is the source behind a terminal line: USB and serial generators, such as TrueRNG, OneRNG
// and PRG, which show as /dev/ttyACM0 or below /dev/serial/by-id.
//
// The line is made raw, or the kernel would take some byte values for keys; it is this process's alone,
// or another reader would get a part of the stream; and it is given back as it was found.
package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

// Name is the configured name of this source.
const Name = "tty"

// DefaultMinEntropy is the claim in bits per byte where none is configured: half. Which device is at
// the other end of a line the kernel cannot tell, and most of them whiten what they send, so that no
// test of the data sees what is behind it.
const DefaultMinEntropy = 4.0

const (
	// flushBytes are dropped after an open or a flush, for what the device and its USB or UART
	// buffers hold from before: a full packet of a bulk endpoint at full speed is 64 bytes (USB 2.0,
	// 5.8.3), twice that for safety; a 16550 holds 16.
	flushBytes = 128

	// closeLimit is how long Close waits for the line to be given back. Drivers of USB lines ask the
	// device, which answers within milliseconds.
	closeLimit = 500 * time.Millisecond

	// hintAfter is how long a device is waited for before it is said what keeps some silent.
	hintAfter = 2 * time.Second
)

// Options configure the source.
type Options struct {
	Device   string  // path of the line, or of a link to it
	Speed    int     // in bits a second, one of Speeds; 0 leaves it as it is, as USB devices do not care
	Modem    string  // what becomes of DTR and RTS, one of ModemChoices; "" stands for the first
	Init     string  // written after each open, such as "cmdO\n" for OneRNG
	Claim    float64 // in bits per byte, 0 for DefaultMinEntropy
	Procfs   linux.Procfs
	Recorder source.Recorder
	Log      *slog.Logger
}

// Speeds returns the speeds that a line can be asked for, in bits a second, slowest first.
func Speeds() []int { return linux.LineSpeeds() }

// ModemChoices returns what can become of the modem lines, the default first.
func ModemChoices() []string {
	return []string{string(linux.RaiseLines), string(linux.LowerLines), string(linux.KeepLines)}
}

var (
	_ source.Source  = (*Source)(nil)
	_ source.Dropper = (*Source)(nil)
)

// Source reads a terminal line. It implements [source.Source].
type Source struct {
	opt     Options
	log     *slog.Logger
	reader  *stream.Reader
	dropped *source.Dropped
	open    func(linux.Node) (stream.Stream, error)
	info    source.Info

	node    linux.Node // that the device led to when last looked at
	target  string     // its path behind links
	settled bool       // node is known
	late    bool       // what the request under way brings is of another node
	flush   int        // bytes still to be dropped
	heard   bool       // something came since the last open
	hinted  bool       // that the device may want to be told to send
}

// New returns the source. It opens nothing yet.
//
// After a reload, before is the source that this one takes the place of, whose Close has returned;
// else it is nil. If that one left a call of the same line hanging, the new source opens it only after
// that has ended: there is never more than one stuck reader.
func New(opt Options, before *Source) *Source { return newSource(opt, opt.open, before) }

func newSource(opt Options, open func(linux.Node) (stream.Stream, error), before *Source) *Source {
	s := &Source{opt: opt, open: open, log: opt.Log.With("source", Name), dropped: source.NewDropped(opt.Recorder)}
	s.info = source.Info{
		Name: Name, Kind: source.KindTTY, Device: opt.Device,
		MinEntropy: DefaultMinEntropy, ClaimOrigin: "default",
		Note: "serial or USB generator: what is behind its output only its maker can tell",
	}
	if opt.Claim > 0 {
		s.info.MinEntropy, s.info.ClaimOrigin = opt.Claim, "configured"
	}
	var after <-chan struct{}
	if before != nil && before.opt.Device == opt.Device {
		after = before.reader.Ended()
	}
	s.reader = stream.New(after)
	return s
}

// Info implements [source.Source].
func (s *Source) Info() source.Info { return s.info }

// Read implements [source.Source].
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	begin := time.Now()
	for {
		if err := s.Watch(); err != nil {
			return 0, err
		}
		node := s.node
		res, err := s.reader.Read(ctx, len(dst), func() (stream.Stream, error) { return s.open(node) })
		if err != nil {
			s.hint(time.Since(begin))
			return 0, err
		}
		late := s.late
		s.late = false
		if res.Opened {
			s.heard, s.hinted = false, false
		}
		if res.Fresh {
			s.flush = flushBytes
		}
		if gone(res.Err) {
			s.settled = false // whatever comes back is no change
			return 0, &source.UnavailableError{
				Reason: fmt.Sprintf("%s hung up: %v", s.opt.Device, res.Err), Err: res.Err,
				Hint: "the device was unplugged, or its power or firmware failed",
			}
		}
		if res.Err != nil {
			return 0, res.Err
		}
		s.heard = s.heard || len(res.Data) > 0
		// Only now is it certain whose bytes these are.
		drop := len(res.Data)
		if err := s.Watch(); err != nil {
			s.dropped.Add(drop, res.Took)
			return 0, err
		}
		if !late {
			drop = min(s.flush, drop)
			s.flush -= drop
		}
		s.dropped.Add(drop, res.Took)
		if data := res.Data[drop:]; len(data) > 0 {
			n := copy(dst, data)
			clear(res.Data)
			return n, nil
		}
	}
}

// Dropped implements [source.Dropper].
func (s *Source) Dropped() uint64 { return s.dropped.Sum() }

// hint says once what keeps some devices silent.
func (s *Source) hint(waited time.Duration) {
	if waited < hintAfter || s.heard || s.hinted || s.opt.Init != "" {
		return
	}
	s.hinted = true
	s.log.Info("no data from the device so far",
		"hint", `some devices send nothing until they are told to: configure the init string, for OneRNG "cmdO\n"`)
}

// Watch implements [source.Source]. A device that was unplugged is closed, or its number would stay
// taken and it would come back under another name.
func (s *Source) Watch() error {
	node, err := linux.StatNode(s.opt.Device)
	if err != nil {
		s.leave()
		return unavailable(err, s.opt.Device)
	}
	was, before, known := s.target, s.node, s.settled
	if known && node.Same(before) {
		return nil
	}
	s.leave()
	s.settled, s.node, s.target = true, node, s.opt.Device
	if target, err := filepath.EvalSymlinks(s.opt.Device); err == nil {
		s.target = target
	}
	switch {
	case !known:
		return nil
	case s.target != was:
		return &source.ChangedError{What: "device", From: was, To: s.target}
	default:
		return &source.ChangedError{What: "device", From: was, To: "a new file of that name"}
	}
}

// leave lets go of the present node.
func (s *Source) leave() {
	if s.settled {
		s.settled = false
		s.late = s.reader.Drop()
	}
}

// Close implements [source.Source]. It gives the line back as it was found.
func (s *Source) Close() error {
	s.reader.Close()
	select {
	case <-s.reader.Ended():
		return nil
	case <-time.After(closeLimit):
		return fmt.Errorf("close %s: the driver does not answer; its settings may stay raw", s.opt.Device)
	}
}

// gone tells whether a read error means that the device is no longer there. A line that hangs up reads
// as its end or as EIO.
func gone(err error) bool {
	return errors.Is(err, io.EOF) || slices.ContainsFunc([]error{syscall.EIO, syscall.ENODEV, syscall.ENXIO}, func(target error) bool {
		return errors.Is(err, target)
	})
}
