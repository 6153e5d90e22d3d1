package metrics

import (
	"log/slog"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// The values of the label result of a tested block.
const (
	BlockPass = "pass"
	BlockFail = "fail"
)

// Severities lists the verdicts of a health test that are alarms.
var Severities = [...]sp80090b.Verdict{sp80090b.Intermittent, sp80090b.Permanent}

// Output is a way in which the metrics leave the daemon, and where that can fail.
type Output int

// The outputs.
const (
	Listener  Output = iota // an address could not be bound, or its socket broke
	Textfile                // a file was not written
	WebConfig               // TLS and passwords could not be used
)

// Outputs lists every Output.
var Outputs = [...]Output{Listener, Textfile, WebConfig}

var outputNames = [...]string{"listener", "textfile", "web_config"}

// String returns the value of the label output.
func (o Output) String() string { return outputNames[o] }

// LogLevels lists the values of the level label, in the order of their indices.
var LogLevels = [...]string{"debug", "info", "warn", "error"}

// LogLevel returns the index in [LogLevels] that counts messages of level. A level between two
// of slog's counts as the lower one.
func LogLevel(level slog.Level) int {
	switch {
	case level < slog.LevelInfo:
		return 0
	case level < slog.LevelWarn:
		return 1
	case level < slog.LevelError:
		return 2
	}
	return 3
}
