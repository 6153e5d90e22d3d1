package linux

import (
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// OnOwnThread runs f on an operating-system thread of its own, at nice level nice or the present
// one if that is higher, and returns at once. The thread ends with f: an unprivileged process
// cannot take back a nice level. f runs even if the level cannot be set.
//
// Nice levels belong to threads on Linux, whatever POSIX says (setpriority(2), "C library/kernel
// differences"). The runtime starts no other thread from a locked one, so none inherits the level.
func OnOwnThread(nice int, f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			// The main thread cannot end, and its level is what ps shows for the process. While it is
			// locked to this goroutine the next one must get another.
			locked := make(chan struct{})
			go func() {
				runtime.LockOSThread()
				close(locked)
				beNice(nice)
				f()
			}()
			<-locked
			runtime.UnlockOSThread()
			return
		}
		beNice(nice)
		f()
	}()
}

// beNice raises the calling thread's nice level to nice.
func beNice(nice int) {
	if ThreadNice() < nice {
		// To be nicer is allowed to everyone; under a seccomp filter that forbids it, work goes on
		// at the old level.
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
	}
}

// ThreadNice returns the calling thread's nice level, 0 if it cannot be told.
func ThreadNice() int {
	// The system call answers 20 less the level, so that no level looks like an error.
	prio, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return 0
	}
	return 20 - prio
}

// ThreadTime returns the CPU time that the calling thread has used (CLOCK_THREAD_CPUTIME_ID).
func ThreadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }
