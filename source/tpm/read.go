package tpm

import (
	"context"
	"errors"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

// Info implements [source.Source].
func (s *Source) Info() source.Info { return s.info }

// Read implements [source.Source]. One call gives at most 32 bytes.
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	for busy := 0; ; {
		if err := source.SleepUntil(ctx, s.pace); err != nil {
			return 0, err
		}
		if err := s.Watch(); err != nil {
			return 0, err
		}
		res, err := s.reader.Read(ctx, min(len(dst), maxRandom), s.opener())
		if err != nil {
			return 0, err
		}
		late := s.late
		s.late = false
		s.rest(len(res.Data), res.Took)
		if answer, ok := errors.AsType[*ResponseError](res.Err); ok && answer.known().busy && busy < busyTries {
			s.pace = time.Now().Add(busyFirst << busy)
			busy++
			continue
		}
		if res.Err != nil {
			return 0, s.failed(res.Err)
		}
		// Only now is it certain whose bytes these are.
		if err := s.Watch(); err != nil || late {
			s.dropped.Add(len(res.Data), res.Took)
			clear(res.Data)
			if err != nil {
				return 0, err
			}
			continue
		}
		if len(res.Data) > 0 {
			n := copy(dst, res.Data)
			clear(res.Data)
			return n, nil
		}
	}
}

// opener returns what opens the present node.
func (s *Source) opener() stream.Opener {
	node := s.node
	return func() (stream.Stream, error) {
		t, err := s.open(node)
		if t == nil || err != nil {
			return nil, err
		}
		return &chip{transport: t}, nil
	}
}

// rest leaves the TPM to others for a while after a command that took so long and brought n bytes.
func (s *Source) rest(n int, took time.Duration) {
	pause := took
	if s.given += n; s.given >= fips.BlockBytes {
		pause = max(pause, time.Duration(n)*time.Second/rate)
	}
	s.pace = time.Now().Add(pause)
}

// Dropped implements [source.Dropper].
func (s *Source) Dropped() uint64 { return s.dropped.Sum() }

// failed says what an error of the device means. A TPM that is gone comes back as another one.
func (s *Source) failed(err error) error {
	err = explain(err, s.opt.Device)
	if _, ok := errors.AsType[*source.UnavailableError](err); ok {
		s.leave()
	}
	return err
}

// Watch implements [source.Source].
func (s *Source) Watch() error {
	node, err := linux.StatNode(s.opt.Device)
	if err != nil {
		return s.failed(err)
	}
	if err := s.opt.vet(node); err != nil {
		s.leave()
		return err
	}
	if s.settled && node.Same(s.node) {
		return nil
	}
	known := s.settled
	s.leave()
	s.settled, s.node = true, node
	if !known {
		return nil
	}
	return &source.ChangedError{What: "device", From: s.opt.Device, To: "a new file of that name"}
}

// leave lets go of the present device.
func (s *Source) leave() {
	if s.settled {
		s.settled, s.given = false, 0
		s.late = s.reader.Drop()
	}
}

// Close implements [source.Source]. It waits for nothing.
func (s *Source) Close() error {
	s.reader.Close()
	return nil
}
