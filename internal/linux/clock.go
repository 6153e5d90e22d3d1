package linux

import (
	"time"

	"golang.org/x/sys/unix"
)

// Boottime returns the time since boot, suspend included (CLOCK_BOOTTIME).
func Boottime() time.Duration { return clock(unix.CLOCK_BOOTTIME) }

// SuspendedTime returns how much of the time since boot the machine was suspended. A step tells
// of a resume: what was read before it is stale, and generators often misbehave after it.
func SuspendedTime() time.Duration { return Boottime() - Monotonic() }

// Monotonic returns the time since boot without suspends (CLOCK_MONOTONIC), as the service manager
// wants it in notifications.
func Monotonic() time.Duration { return clock(unix.CLOCK_MONOTONIC) }

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		// Both clocks exist on every kernel that can run a Go program.
		panic("linux: clock_gettime: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
