package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// errSilent is the cause of a read that was given up because nothing arrived.
var errSilent = errors.New("source is silent")

// silentError reports that nothing arrived within the stall limit.
type silentError struct{ limit time.Duration }

func (e *silentError) Error() string {
	return fmt.Sprintf("no data for %s", e.limit.Round(time.Second))
}

// resumedError reports that the machine was suspended.
type resumedError struct{ away time.Duration }

func (e *resumedError) Error() string {
	return fmt.Sprintf("machine was suspended for %s", e.away.Round(time.Second))
}

// handle acts on what Read, Watch or the tests reported: it sets the state, says so once, and
// waits where trying again at once would serve nobody.
func (w *Worker) handle(ctx context.Context, err error) {
	var (
		changed     *ChangedError
		unavailable *UnavailableError
		alarm       *AlarmError
		block       *BlockError
		silent      *silentError
		resumed     *resumedError
		failed      *FailedError
	)
	switch {
	case err == nil || ctx.Err() != nil:
		return

	case errors.As(err, &changed):
		w.log.Warn("source changed, testing it anew", "reason", changed.Error())
		w.restart(err.Error())

	case errors.As(err, &resumed):
		w.suspended = linux.SuspendedTime()
		w.flush = resumeFlush
		w.log.Info("resumed from suspend, testing the source anew", "away", resumed.away.Round(time.Second))
		w.restart(err.Error())

	case errors.As(err, &unavailable):
		state := Starting
		if unavailable.Denied {
			state = Disabled
		}
		w.dropTests()
		w.retry.reset() // a device that is back may need a first read that fails, as at power-up
		if w.enter(state, unavailable.Reason) {
			w.log.Warn("source is not available", "reason", unavailable.Reason, "hint", unavailable.Hint)
		}
		w.sleep(ctx, w.absent.next())

	case errors.As(err, &failed):
		w.dropTests()
		w.enter(Failed, failed.Reason)
		w.log.Error("source failed, it stays out of use until a restart", "reason", failed.Reason, "hint", failed.Hint)
		<-ctx.Done()

	case errors.As(err, &silent):
		w.rec.ReadError(ReadTimeout)
		w.board.readError(err)
		if w.restart(err.Error()) {
			w.log.Warn("source is silent", "for", silent.limit.Round(time.Second))
		}

	case errors.As(err, &alarm):
		w.quarantine(ctx, err)

	case errors.As(err, &block):
		// One failed block is what a perfect generator shows about once in 1258 blocks.
		switch {
		case w.board.state() != Active:
			w.quarantine(ctx, err)
			return
		case w.failures.add(true):
			w.quarantine(ctx, fmt.Errorf("too many blocks fail, the last one: %w", err))
			return
		}
		w.log.Debug("block dropped", "reason", err.Error())

	default:
		w.readFailed(ctx, err)
	}
}

// readFailed handles a read error: it may pass, so the state stays until errors have come in a
// row, and the pauses grow.
func (w *Worker) readFailed(ctx context.Context, err error) {
	w.rec.ReadError(readReason(err))
	w.board.readError(err)
	pause := w.retry.next()
	if w.retry.failures >= persistent && w.restart(err.Error()) {
		w.log.Warn("source cannot be read", "reason", err.Error(), "failures", w.retry.failures)
	} else {
		w.log.Debug("read failed", "reason", err.Error(), "retry", pause)
	}
	w.sleep(ctx, pause)
}

// persistent is how many failed reads in a row make a source count as out of order. A first read
// after power-up often fails.
const persistent = 3

// restart goes back to the start-up test. It reports whether that changed the state or its reason.
func (w *Worker) restart(reason string) bool {
	w.dropTests()
	return w.enter(Starting, reason)
}

// dropTests forgets all that is known of the data, so that the next byte begins a start-up test.
func (w *Worker) dropTests() {
	if w.gate != nil {
		w.gate.drop(DiscardStartup)
		w.gate = nil
	}
	w.failures = cusum{}
	w.begun = time.Now()
}

// quarantine takes the source out of use after bad data and waits, longer each time, before the
// next start-up test.
func (w *Worker) quarantine(ctx context.Context, err error) {
	w.dropTests()
	pause := w.penalty.next()
	w.enter(Quarantined, err.Error())
	w.log.Warn("source quarantined", "reason", err.Error(), "retest", pause.Round(time.Second))
	w.sleep(ctx, pause)
	if ctx.Err() == nil {
		w.restart("testing anew: " + err.Error())
	}
}

// enter sets state and reason, and reports whether either is new.
func (w *Worker) enter(s State, reason string) bool {
	stateChanged, reasonChanged := w.board.enter(s, reason)
	if stateChanged {
		w.rec.State(s)
	}
	return stateChanged || reasonChanged
}

func (w *Worker) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// readReason classes an error for metrics.
func readReason(err error) ReadReason {
	switch {
	case errors.Is(err, io.EOF):
		return ReadEOF
	case errors.Is(err, io.ErrNoProgress):
		return ReadShort
	case errors.Is(err, syscall.EIO):
		return ReadEIO
	case errors.Is(err, syscall.ENODEV):
		return ReadENODEV
	case errors.Is(err, os.ErrPermission):
		return ReadEPERM
	}
	return ReadOther
}
