package linux

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime returns the CPU time that all threads of the process have used, in user space and in
// the kernel: what getrusage(2) has as ru_utime and ru_stime, but to the nanosecond also where the
// kernel counts those in ticks (CLOCK_PROCESS_CPUTIME_ID).
func ProcessTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }
