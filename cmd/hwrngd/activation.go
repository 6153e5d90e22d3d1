package main

import (
	"os"
	"strconv"
	"sync"
	"syscall"
)

// firstPassed is the first file descriptor that a service manager passes (sd_listen_fds(3),
// SD_LISTEN_FDS_START).
const firstPassed = 3

// passedSockets are the sockets that systemd has opened for this process, by the protocol of
// sd_listen_fds(3). The library for that would bring TLS along. The first look takes their description
// out of the environment, so that no child takes them for its own.
var passedSockets = sync.OnceValue(func() []*os.File {
	pid, err := strconv.Atoi(os.Getenv("LISTEN_PID"))
	count, _ := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		_ = os.Unsetenv(name)
	}
	if err != nil || pid != os.Getpid() {
		return nil
	}
	var sockets []*os.File
	for fd := firstPassed; fd < firstPassed+count; fd++ {
		syscall.CloseOnExec(fd)
		sockets = append(sockets, os.NewFile(uintptr(fd), "LISTEN_FD_"+strconv.Itoa(fd)))
	}
	return sockets
})
