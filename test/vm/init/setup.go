package main

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mounts are what a program may expect of a Linux machine.
var mounts = []struct{ kind, at string }{
	{"proc", "/proc"},
	{"sysfs", "/sys"},
	{"devtmpfs", "/dev"},
	{"tmpfs", "/run"},
	{"tmpfs", "/tmp"},
}

// setUp makes a machine of a bare kernel.
func setUp() error {
	for _, m := range mounts {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := loopback(); err != nil {
		return fmt.Errorf("loopback interface: %w", err)
	}
	return nil
}

// openConsole opens the machine's console for the conversation.
func openConsole() (*os.File, error) {
	console, err := os.OpenFile("/dev/console", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if err := raw(int(console.Fd())); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return console, nil
}

// loopback brings the loopback interface up. The kernel gives it its address by itself.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

// raw makes a terminal pass bytes on as they are. Otherwise it would echo each request, and cut
// the long ones.
func raw(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}

// release is what uname -r says.
func release() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	name, _, _ := bytes.Cut(u.Release[:], []byte{0})
	return string(name)
}

// ready tells whether getrandom(2) answers. Asked this way, the kernel does not begin to make
// noise of its own.
func ready() bool {
	n, err := unix.Getrandom(make([]byte, 1), unix.GRND_NONBLOCK)
	return n == 1 && err == nil
}
