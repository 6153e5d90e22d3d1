package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

const (
	// pulseLimit is how long /-/healthy waits for the supervisor's loop to answer.
	pulseLimit = time.Second
	// requireGrace is how long --require-source waits for a source that is of use.
	requireGrace = 5 * time.Second
)

// supervise is the daemon's main loop: it reports the status, pings the watchdog, reloads, and
// returns the exit code when the daemon is to end. It waits for nothing but its own timers and
// channels, so a dead device cannot stop the pings; a dead loop does.
func (d *daemon) supervise(ctx context.Context) int {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)

	due := time.After(readyGrace)
	required := time.After(requireGrace)
	var pings <-chan time.Time
	ping := func() {
		d.manager.ping()
		pings = linux.After(d.manager.watchdog / 2)
	}
	if d.manager.watchdog > 0 {
		ping()
	}

	started := false // enough for the service manager
	for {
		status := d.status()
		ready, _ := status.Ready()
		d.rec.Ready(ready)
		started = started || ready || status.Credits.CRNGReady
		d.manager.tell(status.Line(), started)

		select {
		case <-ctx.Done():
			return d.stop("stopped by a signal", exitOK)
		case err := <-d.feeding:
			return d.fed(err)
		case <-d.rec.events:
		case reply := <-d.pulse:
			close(reply)
		case <-due:
			started = true
		case <-required:
			required = nil
			if d.cfg.RequireSource && !usable(status) {
				_, why := status.Ready()
				d.log.Error("no source can be used and one is required", "reason", why)
				return d.stop("no source", exitUnavailable)
			}
			if d.cfg.RequireSource {
				required = time.After(requireGrace)
			}
		case <-pings:
			ping()
		case <-hup:
			d.reload(ctx)
		}
	}
}

// healthy tells whether the supervisor's loop answers.
func (d *daemon) healthy() bool {
	limit := time.NewTimer(pulseLimit)
	defer limit.Stop()
	reply := make(chan struct{})
	select {
	case d.pulse <- reply:
	case <-limit.C:
		return false
	}
	select {
	case <-reply:
		return true
	case <-limit.C:
		return false
	}
}

// usable tells whether some source is in use or on its way there.
func usable(s *pool.Status) bool {
	for _, src := range s.Sources {
		if src.State == source.Active.String() || src.State == source.Starting.String() && src.Reason == "" {
			return true
		}
	}
	return false
}

// fed ends the daemon because the feeder has done its work, or cannot do it.
func (d *daemon) fed(err error) int {
	switch {
	case err == nil:
		return d.stop("the kernel's random generator is ready", exitOK)
	case err == pool.ErrCannotCredit:
		d.log.Error("cannot credit", "hint", err.Error())
		return d.stop("cannot credit", exitPermission)
	}
	return d.stop("stopped by a signal", exitOK) // the feeder saw the end of ctx first
}

// stop ends everything in well under a second, whatever hangs.
func (d *daemon) stop(why string, code int) int {
	d.manager.stopping(why)
	d.web.Close()
	d.stopSources()
	credits := d.feeder.Credits()
	d.log.Info("stopped", "reason", why, "credited_bits", credits.TotalBits(), "after", time.Since(d.started).Round(time.Millisecond))
	return code
}
