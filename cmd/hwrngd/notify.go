package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics"
)

// readyGrace is how long the service manager waits for the first seed at most. After that the
// daemon reports itself started all the same: a missing generator must not hold up the boot or
// make a failed unit.
const readyGrace = 3 * time.Second

// notifyTimeout is how long one message to the service manager may take. Its queue is full while it
// hangs, and the daemon must not hang with it.
const notifyTimeout = 100 * time.Millisecond

// manager talks to the service manager by sd_notify(3). Without one, nothing happens.
type manager struct {
	rec      metrics.Recorder
	log      *slog.Logger
	watchdog time.Duration                        // 0 if no pings are expected
	after    func(time.Duration) <-chan time.Time // how to wait for the next ping

	ready  bool
	status string
}

func newManager(rec metrics.Recorder, log *slog.Logger) *manager {
	m := &manager{rec: rec, log: log, after: linux.After}
	timeout, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("watchdog is off: WATCHDOG_USEC cannot be used", "reason", err.Error())
	}
	m.watchdog = max(timeout, 0) // one of more than 292 years overflows
	rec.WatchdogTimeout(m.watchdog)
	return m
}

// tell shows the status line, and reports the daemon as started once that is due.
func (m *manager) tell(status string, started bool) {
	var news []string
	if status != m.status {
		m.status = status
		news = append(news, "STATUS="+status)
	}
	if started && !m.ready {
		m.ready = true
		news = append(news, sd.SdNotifyReady)
	}
	if len(news) > 0 {
		m.send(strings.Join(news, "\n"))
	}
}

// ping feeds the watchdog.
func (m *manager) ping() {
	m.send(sd.SdNotifyWatchdog)
	m.rec.WatchdogPing(time.Now())
}

// reloading and reloaded bracket a reload. One before the daemon counts as started goes unreported:
// the end of it would say too early that it is.
func (m *manager) reloading() {
	if m.ready {
		m.send(fmt.Sprintf("%s\nMONOTONIC_USEC=%d", sd.SdNotifyReloading, linux.Monotonic().Microseconds()))
	}
}

func (m *manager) reloaded() {
	if m.ready {
		m.send(sd.SdNotifyReady)
	}
}

func (m *manager) stopping(why string) { m.send(sd.SdNotifyStopping + "\nSTATUS=" + why) }

func (m *manager) send(state string) {
	if err := notify(state); err != nil {
		m.log.Debug("service manager not reached", "reason", err.Error())
	}
}

// notify is sd.SdNotify with a limit of time.
func notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(notifyTimeout))
	_, err = conn.Write([]byte(state))
	return err
}
