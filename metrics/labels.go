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
