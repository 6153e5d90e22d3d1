//go:build minimal

package main

import (
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/text"
)

// minimal tells that this is the build for routers, without what needs net/http and the like.
const minimal = true

// What the texts for users say of this build.
const (
	hostNames    = "localhost" // may stand for an IP address to listen on
	hostHelp     = "; HOST is an IP address or localhost"
	ownAssessor  = "'hwrngd assess' of the full build"
	configurable = "tty if it is configured"
	unprivileged = "Jitter needs"
	oneReader    = "a serial line"
)

// newRecorder returns what records the metrics, and the forms in which they can be had.
func newRecorder() (metrics.Recorder, exposition) {
	rec := text.New()
	return rec, exposition{page: rec.WriteMetrics, text: rec.WriteText}
}
