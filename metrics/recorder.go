package metrics

import (
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// Recorder is told what happens in the whole daemon. All methods are safe for concurrent use
// and never block.
type Recorder interface {
	pool.Recorder

	// Source returns the recorder of the source with that name, always the same one. All its
	// series exist from then on; they stay when the source goes, so that no counter is lost.
	Source(name string) source.Recorder

	BuildInfo(Build)                // once, at start
	Reloaded(ok bool, at time.Time) // the configuration was loaded, at start or on SIGHUP, or refused
	Ready(bool)                     // what /-/ready answers
	HWRNG(HWRNG)                    // what the kernel's hw_random class shows, at each change
	HWRNGRotation(*source.Rotation) // whether the generators have their turns, nil if nobody asked for that
	WatchdogTimeout(time.Duration)  // set by the service manager, 0 if it expects no pings
	WatchdogPing(at time.Time)      // one ping sent
	LogMessage(slog.Level)          // one message written
	ExportFailed(Output)            // an attempt to offer the metrics failed
}

// Build identifies the running binary.
type Build struct {
	Version   string
	Revision  string // of the source tree, "" if unknown
	GoVersion string
	GOOS      string
	GOARCH    string
	Tags      string // build tags, comma separated
}

// HWRNG is the state of the kernel's hw_random class.
type HWRNG struct {
	Current   string   // "" if there is none
	Available []string // as rng_available lists them

	QualityRatio float64 // rng_quality / 1024
	QualityKnown bool    // false where the kernel does not show it
}
