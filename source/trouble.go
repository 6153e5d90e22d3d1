package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
		cloned      *clonedError
		failed      *FailedError
	)
	switch {
	case err == nil || ctx.Err() != nil:
		return

	case errors.As(err, &changed):
		level := slog.LevelWarn
		if changed.InTurn {
			level = slog.LevelDebug
		}
		w.log.Log(ctx, level, "source changed, testing it anew", "reason", changed.Error())
		w.turnTo(changed)
		w.restart(Changed, err.Error())

	case errors.As(err, &resumed):
		w.suspended = linux.SuspendedTime()
		w.flush = resumeFlush
		w.log.Info("resumed from suspend, testing the source anew", "away", resumed.away.Round(time.Second))
		w.restart(Resumed, err.Error())

	case errors.As(err, &cloned):
		w.flush = resumeFlush
		w.log.Warn("testing the source anew", "reason", err.Error())
		w.restart(Resumed, err.Error())

	case errors.As(err, &unavailable):
		event := Absent
		if unavailable.Denied {
			event = Denied
		}
		// Whatever comes back is another stream, perhaps of another device.
		w.seen = repeats{}
		w.running.forget(w.rec)
		w.penalty.reset()
		w.retry.reset() // a device that is back may need a first read that fails, as at power-up
		if w.restart(event, unavailable.Reason) {
			w.log.Warn("source is not available", "reason", unavailable.Reason, "hint", unavailable.Hint)
		}
		w.sleep(ctx, w.absent.next())

	case errors.As(err, &failed):
		w.restart(Latched, failed.Reason)
		w.log.Error("source failed, it stays out of use until a restart", "reason", failed.Reason, "hint", failed.Hint)
		<-ctx.Done()

	case errors.As(err, &silent):
		w.rec.ReadError(ReadTimeout)
		w.board.readError(err)
		if w.restart(Silent, err.Error()) {
			w.log.Warn("source is silent", "for", silent.limit.Round(time.Second))
		}

	case errors.As(err, &alarm):
		w.quarantine(ctx, Alarm, err)

	case errors.As(err, &block):
		w.blockFailed(ctx, block)

	default:
		w.readFailed(ctx, err)
	}
}

// blockFailed judges a source by a failed block, which is dropped already. One is what a perfect
// generator shows about once in 1258 blocks.
func (w *Worker) blockFailed(ctx context.Context, err *BlockError) {
	switch w.board.state() {
	case Active, Suspect:
		w.failures.add(true)
		switch {
		case w.failures.failsOften():
			observed := w.failures.failureRate()
			w.readmit = newReadmission(observed, w.src.Info().FailureRate)
			w.quarantine(ctx, FailsOften, fmt.Errorf("too many blocks fail, %.3g %% lately, the last one: %w", 100*observed, err))
			return
		case w.failures.failsMore() && w.board.state() == Active:
			reason := w.suspicion()
			w.log.Warn("source is suspect, it earns no credit", "reason", reason)
			w.fire(FailsMore, reason)
		}
	default:
		if w.readmit == nil {
			w.quarantine(ctx, BlockFailed, err)
			return
		}
		if _, refused := w.readmit.add(true); refused {
			w.readmit.score = 0
			w.quarantine(ctx, FailsOften, fmt.Errorf("still too many blocks fail, the last one: %w", err))
			return
		}
	}
	w.log.Debug("block dropped", "reason", err.Error())
}

// suspicion says why a source is suspect.
func (w *Worker) suspicion() string {
	return fmt.Sprintf("%d of %d blocks failed, half of what takes it out of use", w.failures.failed, w.failures.blocks)
}

// readFailed handles a read error: it may pass, so the state stays until errors have come in a
// row, and the pauses grow.
func (w *Worker) readFailed(ctx context.Context, err error) {
	w.rec.ReadError(readReason(err))
	w.board.readError(err)
	pause := w.retry.next()
	if w.retry.failures >= persistent && w.restart(Unreadable, err.Error()) {
		w.log.Warn("source cannot be read", "reason", err.Error(), "failures", w.retry.failures)
	} else {
		w.log.Debug("read failed", "reason", err.Error(), "retry", pause)
	}
	w.sleep(ctx, pause)
}

// persistent is how many failed reads in a row make a source count as out of order. A first read
// after power-up often fails.
const persistent = 3

// restart goes where the event leads, with a start-up test to come. It reports whether that changed
// the state or its reason.
func (w *Worker) restart(e Event, reason string) bool {
	w.dropTests()
	return w.fire(e, reason)
}

// dropTests forgets the data in hand, so that the next byte begins a start-up test.
func (w *Worker) dropTests() {
	if w.gate != nil {
		w.gate.drop(DiscardStartup)
		w.gate = nil
	}
	w.begun = time.Now()
}

// forgiven is how long a source has to be in use before its next quarantine counts as its first.
const forgiven = 10 * time.Minute

// quarantine takes the source out of use after bad data and waits, longer each time, before the
// next start-up test.
func (w *Worker) quarantine(ctx context.Context, e Event, err error) {
	if s := w.board.state(); (s == Active || s == Suspect) && time.Since(w.activated) >= forgiven {
		w.penalty.reset()
	}
	w.dropTests()
	w.failures = cusum{}
	pause := w.penalty.next()
	w.fire(e, err.Error())
	w.log.Warn("source quarantined", "driver", w.src.Info().Driver, "reason", err.Error(), "retest", pause.Round(time.Second))
	if shunner, ok := w.src.(Shunner); ok {
		shunner.Shun()
	}
	for ctx.Err() == nil {
		// Another generator behind the device is not to blame, and one that is gone is not to be
		// waited for.
		if found := w.src.Watch(); found != nil {
			w.handle(ctx, found)
			if w.board.state() != Quarantined {
				return
			}
		}
		if pause <= 0 {
			break
		}
		step := min(pause, watchInterval)
		w.sleep(ctx, step)
		pause -= step
	}
	if ctx.Err() == nil {
		w.restart(Retest, "testing anew: "+err.Error())
	}
}

// fire goes where the event leads from the present state, for that reason. It reports whether the
// state or the reason is new.
func (w *Worker) fire(e Event, reason string) bool {
	return w.enter(w.board.state().Next(e), reason)
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
