package linux

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// After is time.After for the long waits of a process that otherwise sleeps.
//
// The Go runtime waits for its own timers in epoll, with a slack that the kernel sets to a
// thousandth of the wait, while its monitor thread waits for the same moment exactly and then
// polls until epoll returns: some twenty wake-ups for one timer of five seconds. A timer
// descriptor makes it three.
//
// The timer cannot be stopped: its descriptor lives until the time is up.
func After(d time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return time.After(d)
	}
	// At least a nanosecond: zero would disarm the timer.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(int64(d), 1))}
	if err := unix.TimerfdSettime(fd, 0, &spec, nil); err != nil {
		unix.Close(fd)
		return time.After(d)
	}
	go func() {
		f := os.NewFile(uintptr(fd), "timerfd") // non-blocking, so the runtime's poller waits for it
		defer f.Close()
		var expirations [8]byte
		if _, err := f.Read(expirations[:]); err != nil {
			<-time.After(d) // better late than never
		}
		c <- time.Now()
	}()
	return c
}
