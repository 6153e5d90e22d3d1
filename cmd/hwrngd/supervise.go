package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

const (
	// pulseLimit is how long /-/healthy waits for the supervisor's loop to answer.
	pulseLimit = time.Second
	// requireGrace is how long --require-source waits for a source that is of use, at the start and
	// after one was lost.
	requireGrace = 5 * time.Second
	// lastWrite is how long a stop waits for the metrics file: the disk may hang.
	lastWrite = 200 * time.Millisecond
	// tidyEvery is how often memory is given back.
	tidyEvery = 30 * time.Second
	// repeatAfter is when the state is logged again. OpenWrt starts its log daemon as the twelfth of its
	// services, and what is printed earlier is lost.
	repeatAfter = time.Minute
)

// supervise is the daemon's main loop: it reports the status, pings the watchdog, reloads, and
// returns the exit code when the daemon is to end. It waits for nothing but its own timers and
// channels, so a dead device cannot stop the pings; a dead loop does.
func (d *daemon) supervise(ctx context.Context) int {
	due := time.After(readyGrace)
	var look <-chan time.Time // when to look again although nothing was heard
	var pings <-chan time.Time
	ping := func() {
		d.manager.ping()
		pings = d.manager.after(d.manager.watchdog / 2)
	}
	if d.manager.watchdog > 0 {
		ping()
	}

	var again <-chan time.Time
	if d.repeat {
		again = time.After(repeatAfter)
	}

	started := false // enough for the service manager
	for {
		status := d.status()
		ready, _ := status.Ready()
		d.rec.Ready(ready)
		// A rotation that stops and leaves the generator as it is makes no event: that is seen within tidyEvery.
		d.rec.HWRNGRotation(status.Rotation())
		started = started || ready || status.Credits.CRNGReady
		d.manager.tell(status.Line(), started)
		// A reason that changes without a change of state makes no event.
		if look == nil && !ready {
			look = time.After(requireGrace)
		}

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
			d.tidy()
			due = time.After(tidyEvery)
		case <-look:
			look = nil
			if now := d.status(); d.cfg.RequireSource && !usable(now) {
				_, why := now.Ready()
				d.log.Error("no source can be used and one is required", "reason", why)
				return d.stop("no source", exitUnavailable)
			}
		case <-again:
			d.tellAgain()
		case <-pings:
			ping()
		case <-d.hup:
			d.reload(ctx)
		}
	}
}

// tellAgain logs what was logged at the start, and what has become of it.
func (d *daemon) tellAgain() {
	status := d.status()
	level := slog.LevelInfo
	if ready, _ := status.Ready(); !ready {
		level = slog.LevelWarn
	}
	d.log.Log(context.Background(), level, "running", "version", status.Version, "sources", strings.Join(wantedSources(d.cfg), " "),
		"crng_ready", status.Credits.CRNGReady, "state", status.Line())
	for _, w := range d.cfg.Warnings {
		d.log.Warn("configuration", "warning", w)
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

// usable tells whether some source is in use or on its way there: it has not failed yet, delivers
// data for its start-up test, is a fallback at rest, or has only just gone back to that test, as
// after a suspend.
func usable(s *pool.Status) bool {
	for _, src := range s.Sources {
		switch src.State {
		case source.Active.String():
			return true
		case source.Starting.String():
			if src.Reason == "" || src.Reason == source.AtRest || src.BlockFilled > 0 || time.Since(src.Since) < requireGrace {
				return true
			}
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
	stopWorkers(d.running())
	d.file.Close(lastWrite)
	d.held.Flush()
	credits := d.feeder.Credits()
	d.log.Info("stopped", "reason", why, "credited_bits", credits.TotalBits(), "after", time.Since(d.started).Round(time.Millisecond))
	return code
}
