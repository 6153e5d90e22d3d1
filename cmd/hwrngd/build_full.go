//go:build !minimal

package main

import (
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/prom"
)

// minimal tells that this is the build for routers, without what needs net/http and the like.
const minimal = false

// What the texts for users say of this build.
const (
	hostNames    = "a host name" // may stand for an IP address to listen on
	hostHelp     = ""
	ownAssessor  = "'hwrngd assess'"
	configurable = "tty and command if they are configured"
	unprivileged = "Jitter and cpu need"
	oneReader    = "a serial line or a program"
)

// newRecorder returns what records the metrics, and the forms in which they can be had.
func newRecorder() (metrics.Recorder, exposition) {
	rec := prom.New(prom.Options{Runtime: true})
	return rec, exposition{page: rec.Handler(), text: rec.WriteText}
}
