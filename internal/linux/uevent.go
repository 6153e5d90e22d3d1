package linux

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ueventSize is more than the kernel puts into one event (UEVENT_BUFFER_SIZE, 2048 bytes, and the
// header).
const ueventSize = 8192

// Uevents reports what the kernel tells udev: the keys and values of each event, such as ACTION=change
// and NEW_VMGENID=1. It returns at once; f is called by a goroutine that ends with the process.
func Uevents(f func(map[string]string)) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return fmt.Errorf("open netlink socket for kernel events: %w", err)
	}
	const kernelGroup = 1 // group 2 is udev's own
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: kernelGroup}); err != nil {
		unix.Close(fd)
		return fmt.Errorf("bind netlink socket for kernel events: %w", err)
	}
	socket := os.NewFile(uintptr(fd), "uevents") // non-blocking, so the runtime's poller waits for it
	go func() {
		defer socket.Close()
		raw, err := socket.SyscallConn()
		if err != nil {
			return
		}
		buf := make([]byte, ueventSize)
		for {
			var n int
			var from unix.Sockaddr
			var failed error
			if err := raw.Read(func(fd uintptr) bool {
				n, from, failed = unix.Recvfrom(int(fd), buf, 0)
				return failed != unix.EAGAIN
			}); err != nil {
				return
			}
			// ENOBUFS means that events were lost, which is no reason to stop listening.
			if sender, ok := from.(*unix.SockaddrNetlink); failed == nil && ok && sender.Pid == 0 {
				f(parseUevent(buf[:n]))
			}
		}
	}()
	return nil
}

// parseUevent returns the variables of an event: strings that end with a zero byte, after a first one
// that names action and device and has no equals sign.
func parseUevent(message []byte) map[string]string {
	event := map[string]string{}
	for field := range bytes.SplitSeq(message, []byte{0}) {
		if key, value, ok := bytes.Cut(field, []byte("=")); ok && len(key) > 0 {
			event[string(key)] = string(value)
		}
	}
	return event
}
