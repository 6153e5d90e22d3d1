package linux

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// AfterFunc calls f in a goroutine of its own once d has passed, unless the returned function is
// called before. It is time.AfterFunc for a process that otherwise sleeps.
//
// The Go runtime waits for its own timers in epoll, with a slack that the kernel sets to a
// thousandth of the wait, while its monitor thread waits for the same moment exactly and then
// polls until epoll returns: some twenty wake-ups for one timer of five seconds, also for one that
// was stopped long ago. A timer descriptor makes it three, and none once it is stopped.
func AfterFunc(d time.Duration, f func()) (stop func()) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return GoAfterFunc(d, f)
	}
	// At least a nanosecond: zero would disarm the timer.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(int64(d), 1))}
	if err := unix.TimerfdSettime(fd, 0, &spec, nil); err != nil {
		unix.Close(fd)
		return GoAfterFunc(d, f)
	}
	timer := os.NewFile(uintptr(fd), "timerfd") // non-blocking, so the runtime's poller waits for it
	go func() {
		defer timer.Close()
		var expirations [8]byte
		if _, err := timer.Read(expirations[:]); err == nil {
			f()
		}
	}()
	return func() { timer.Close() }
}

// GoAfterFunc is AfterFunc by a timer of the Go runtime, for tests with a clock of their own and where
// descriptors are short.
func GoAfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// After is time.After by means of AfterFunc. The timer cannot be stopped.
func After(d time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	AfterFunc(d, func() { c <- time.Now() })
	return c
}
