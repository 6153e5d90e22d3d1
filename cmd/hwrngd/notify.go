package main

import (
	"fmt"
	"log/slog"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
)

// readyGrace is how long the service manager waits for the first seed at most. After that the
// daemon reports itself started all the same: a missing generator must not hold up the boot or
// make a failed unit.
const readyGrace = 3 * time.Second

// manager talks to the service manager by sd_notify(3). Without one, nothing happens.
type manager struct {
	rec      metrics.Recorder
	log      *slog.Logger
	watchdog time.Duration // 0 if no pings are expected

	ready  bool
	status string
}

func newManager(rec metrics.Recorder, log *slog.Logger) *manager {
	m := &manager{rec: rec, log: log}
	timeout, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("watchdog is off: WATCHDOG_USEC cannot be used", "reason", err.Error())
	}
	m.watchdog = timeout
	rec.WatchdogTimeout(timeout)
	return m
}

// tell shows the status line, and reports the daemon as started once that is due.
func (m *manager) tell(status string, started bool) {
	state := ""
	if status != m.status {
		m.status = status
		state = "STATUS=" + status
	}
	if started && !m.ready {
		m.ready = true
		state += "\nREADY=1"
	}
	if state != "" {
		m.send(state)
	}
}

// ping feeds the watchdog.
func (m *manager) ping() {
	m.send(sd.SdNotifyWatchdog)
	m.rec.WatchdogPing(time.Now())
}

// reloading and reloaded bracket a reload.
func (m *manager) reloading() {
	m.send(fmt.Sprintf("%s\nMONOTONIC_USEC=%d", sd.SdNotifyReloading, linux.Monotonic().Microseconds()))
}

func (m *manager) reloaded() { m.send(sd.SdNotifyReady) }

func (m *manager) stopping(why string) { m.send(sd.SdNotifyStopping + "\nSTATUS=" + why) }

func (m *manager) send(state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		m.log.Debug("service manager not reached", "reason", err.Error())
	}
}
