package linux

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Capability is a privilege of Linux, capabilities(7).
type Capability uint

// The privileges that the daemon may have a use for.
const (
	CapDACOverride    Capability = unix.CAP_DAC_OVERRIDE     // files of other users: the textfile collector's directory
	CapKill           Capability = unix.CAP_KILL             // programs that run as somebody else
	CapSetGID         Capability = unix.CAP_SETGID           // to start them so
	CapSetUID         Capability = unix.CAP_SETUID           // to start them so
	CapNetBindService Capability = unix.CAP_NET_BIND_SERVICE // metrics on a port below 1024
	CapSysAdmin       Capability = unix.CAP_SYS_ADMIN        // RNDADDENTROPY
)

// ErrThreads is the error of what has to be done on all threads of a process with C code in it. The
// released program has none.
var ErrThreads = errors.New("not possible in a program that is linked with C code")

// DropPrivileges gives up, for all threads and for good, every capability but those in keep, the
// possibility to get one back by executing a file, and set-user-ID files. It is to be called before
// any thread may hang in the kernel, since it waits for each.
//
// Errors: [ErrThreads]; what prctl(2) and capset(2) say. The process may then hold more than it should,
// never less.
func DropPrivileges(keep ...Capability) error {
	if err := prctlAll(unix.PR_SET_NO_NEW_PRIVS, 1); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	var kept uint64
	for _, c := range keep {
		kept |= 1 << c
	}
	for c := range Capability(unix.CAP_LAST_CAP + 1) {
		in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0)
		if err != nil { // the kernel does not know it
			break
		}
		if in == 0 || kept&(1<<c) != 0 {
			continue
		}
		err = prctlAll(unix.PR_CAPBSET_DROP, uintptr(c))
		if errors.Is(err, unix.EPERM) { // without CAP_SETPCAP; nothing can be gained anyway, see above
			break
		}
		if err != nil {
			return fmt.Errorf("drop capability %d from the bounding set: %w", c, err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	for i := range have {
		mask := uint32(kept >> (32 * i))
		have[i].Effective &= mask
		have[i].Permitted &= mask
		have[i].Inheritable = 0
	}
	// What is not permitted leaves the ambient set by itself. The pointers have to be made in the call.
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&have[0])), 0)
	if err := threadsError(errno); err != nil {
		return fmt.Errorf("set the capabilities: %w", err)
	}
	return nil
}

// prctlAll calls prctl(2) on every thread.
func prctlAll(option int, arg uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, uintptr(option), arg, 0, 0, 0, 0)
	return threadsError(errno)
}

func threadsError(errno syscall.Errno) error {
	switch errno {
	case 0:
		return nil
	case unix.ENOTSUP:
		return ErrThreads
	}
	return errno
}
