package hwrng

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// Read implements [source.Source].
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	if err := source.SleepUntil(ctx, s.pace); err != nil {
		return 0, err
	}
	if err := s.Watch(); err != nil {
		return 0, err
	}
	for {
		res, err := s.reader.read(ctx, s.readSize(len(dst)), s.node)
		if err != nil {
			return 0, err
		}
		late := s.late
		s.late = false
		if res.opened {
			s.startFlush()
		}
		if res.err != nil {
			return 0, explain(res, s.info.Device, s.opt.Sysfs)
		}
		s.rate.Add(len(res.data), res.took)
		// Only now is it certain whose bytes these are.
		if err := s.settle(); err != nil {
			s.dropped.Add(len(res.data), res.took)
			return 0, err
		}
		drop := len(res.data)
		if !late {
			drop = min(s.flush, drop)
			s.flush -= drop
		}
		s.dropped.Add(drop, res.took)
		data := res.data[drop:]
		if len(data) == 0 {
			continue
		}
		n := copy(dst, data)
		clear(data)
		if s.paced() {
			s.pace = time.Now().Add(time.Duration(n) * time.Second / tpmRate)
		}
		if s.delivered += n; s.delivered >= fips.BlockBytes {
			s.selector.rotation.serve()
		}
		return n, nil
	}
}

// Dropped implements [source.Dropper].
func (s *Source) Dropped() uint64 { return s.dropped.Sum() }

// paced tells whether to go easy on the device: it is a TPM that has given its start-up block.
func (s *Source) paced() bool { return s.info.Kind == source.KindTPM && s.delivered >= maxRead }

// startFlush begins anew with a device or generator: the first bytes are dropped, and all that a
// request still under way brings.
func (s *Source) startFlush() {
	s.flush, s.delivered, s.pace = flushBytes, 0, time.Time{}
	s.late = s.reader.pending
}

// readSize returns how much to ask for: never more than the caller has room for, and of a slow
// device no more than it gives in readTarget.
func (s *Source) readSize(room int) int {
	if s.flush > 0 {
		return s.flush
	}
	if s.paced() {
		return min(room, tpmRate/4)
	}
	n := min(room, bytesIn(&s.rate, readTarget))
	if s.delivered < maxRead {
		n = min(n, max(storeRead, s.delivered))
	}
	return n
}

// explain turns the answers that mean "nothing to read from" into what they mean.
func explain(res result, path string, sys linux.Sysfs) error {
	var refused *RefusedError
	switch {
	case errors.As(res.err, &refused):
		return &source.UnavailableError{Reason: refused.Error(), Hint: refused.Hint, Denied: true, Err: res.err}
	case errors.Is(res.err, syscall.ENODEV):
		return &source.UnavailableError{
			Reason: "device node present, but no driver behind it: " + res.err.Error() + "; " + sys.DescribeHWRandom(), Err: res.err,
			Hint: noDriverHint,
		}
	case res.gone:
		return &source.UnavailableError{Reason: path + " came to its end: the device is gone or nobody writes to it", Err: res.err}
	}
	return res.err
}
