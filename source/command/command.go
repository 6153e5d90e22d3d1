// Package command is the source behind a user's program that writes noise to its standard output, such as
// infnoise, pkcs11-tool or a pipeline around rtl_sdr: exotic devices need no code of ours.
//
// No shell is involved: the program gets its arguments as configured, an environment of two variables,
// and the rights of an ordinary user.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

// Name is the configured name of this source.
const Name = "command"

// DefaultMinEntropy is the claim in bits per byte where none is configured: one. Nothing is known of the
// program, and raw samples of receivers and converters often hold no more.
const DefaultMinEntropy = 1.0

// DefaultUser is whom the program runs as where none is configured.
const DefaultUser = "nobody"

// Options configure the source.
type Options struct {
	Argv     []string // program and arguments; the program by its absolute path
	User     string   // name or number, "" for DefaultUser; only root can switch to another user
	Group    string   // name or number, "" for the user's own; for devices that a group may use
	Claim    float64  // in bits per byte, 0 for DefaultMinEntropy
	Recorder source.Recorder
	Log      *slog.Logger // limits how often it writes, for the program's messages go there
}

var (
	_ source.Source  = (*Source)(nil)
	_ source.Dropper = (*Source)(nil)
)

// Source reads the standard output of a program. It implements [source.Source].
type Source struct {
	opt     Options
	log     *slog.Logger
	info    source.Info
	reader  *stream.Reader
	dropped *source.Dropped
	current atomic.Pointer[process]
	own     bool // it was said that the program runs as this process's user
}

// New returns the source. It starts nothing yet.
//
// After a reload, before is the source that this one takes the place of, whose Close has returned;
// else it is nil. The program of the new source starts after that of the old one has ended: a device
// mostly serves one.
func New(opt Options, before *Source) *Source {
	s := &Source{opt: opt, log: opt.Log.With("source", Name), dropped: source.NewDropped(opt.Recorder)}
	s.info = source.Info{
		Name: Name, Kind: source.KindCommand,
		MinEntropy: DefaultMinEntropy, ClaimOrigin: "default",
		Note: "output of a program: what is behind it only its user can tell",
	}
	if len(opt.Argv) > 0 {
		s.info.Device = opt.Argv[0]
	}
	if opt.Claim > 0 {
		s.info.MinEntropy, s.info.ClaimOrigin = opt.Claim, "configured"
	}
	var after <-chan struct{}
	if before != nil {
		after = before.reader.Ended()
	}
	s.reader = stream.New(after)
	return s
}

// Dropped implements [source.Dropper].
func (s *Source) Dropped() uint64 { return s.dropped.Sum() }

// Info implements [source.Source].
func (s *Source) Info() source.Info { return s.info }

// Read implements [source.Source]. It starts the program if it does not run.
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	for {
		res, err := s.reader.Read(ctx, len(dst), s.start)
		if err != nil {
			return 0, err
		}
		if res.Err != nil {
			return 0, res.Err
		}
		if len(res.Data) > 0 {
			n := copy(dst, res.Data)
			clear(res.Data)
			return n, nil
		}
	}
}

// Watch implements [source.Source]. That a program has ended is seen only by reading its output.
func (s *Source) Watch() error {
	_, err := s.opt.program()
	return err
}

// Close implements [source.Source]. It asks the program and all that it started in its group to end, and
// waits for none of them; who does not end within [killAfter] is killed.
func (s *Source) Close() error {
	if p := s.current.Load(); p != nil {
		p.terminate() // before this process may end
	}
	s.reader.Close()
	return nil
}

// Check tells whether the program and the user that it is to run as exist, without starting it. Errors are an
// [*source.UnavailableError].
func (o Options) Check() error {
	if _, err := o.program(); err != nil {
		return err
	}
	_, err := o.credential()
	return err
}

// program returns the path of the program. Errors are an [*source.UnavailableError].
func (o Options) program() (string, error) {
	if len(o.Argv) == 0 || !filepath.IsAbs(o.Argv[0]) {
		return "", &source.UnavailableError{
			Reason: fmt.Sprintf("run %q: no absolute path", o.Argv), Denied: true,
			Hint: "configure the program by its full path, such as /usr/bin/infnoise",
		}
	}
	info, err := os.Stat(o.Argv[0])
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = &os.PathError{Op: "run", Path: o.Argv[0], Err: errors.New("not an executable file")}
	}
	if err != nil {
		return "", &source.UnavailableError{Reason: err.Error(), Err: err, Hint: "is the program installed, at that path?"}
	}
	return o.Argv[0], nil
}
