package e2e

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// restrictEnv makes the test binary take rights away from itself and then turn into the program
// that its arguments name. It holds some of the words of restrictions.
const restrictEnv = "HWRNGD_E2E_RESTRICT"

// Words for bench.restrict.
const (
	noAdmin    = "no-admin"    // CAP_SYS_ADMIN is not in the bounding set, as in a container
	unready    = "unready"     // getrandom gives EAGAIN, as before the kernel is seeded
	noReseed   = "no-reseed"   // RNDRESEEDCRNG gives EINVAL, as before Linux 4.17
	hangAdd    = "hang-add"    // RNDADDENTROPY does not return
	hangReseed = "hang-reseed" // RNDRESEEDCRNG does not return
)

// Numbers of the kernel's interface that package syscall lacks.
const (
	capSysAdmin   = 21
	prCapBSetDrop = 24

	rndAddEntropy = 0x40085203
	rndReseedCRNG = 0x5207

	seccompSetFilter   = 1
	seccompNewListener = 8 // flag
	seccompNotify      = 0x7fc00000
	seccompErrno       = 0x00050000
	seccompAllow       = 0x7fff0000

	// Offsets in struct seccomp_data. Arguments have 64 bits; this is the low half of the second
	// one on a little-endian machine.
	dataNumber = 0
	dataArg1   = 16 + 1*8

	loadWord       = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
	jumpIfEqual    = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
	returnConstant = syscall.BPF_RET | syscall.BPF_K
)

// callNumbers holds the numbers of getrandom(2) and seccomp(2) by machine.
var callNumbers = map[string]struct{ getrandom, seccomp uint32 }{
	"amd64": {318, 317}, "arm64": {278, 277}, "riscv64": {278, 277}, "loong64": {278, 277},
}

// becomeRestricted applies the restrictions and executes os.Args[1:]. A system call filter does
// what strace cannot: it tells one ioctl from another and it holds for every thread alike.
func becomeRestricted(what string) {
	runtime.LockOSThread() // both restrictions belong to the thread that executes
	err := func() error {
		for _, word := range strings.Fields(what) {
			if err := restrict(word); err != nil {
				return fmt.Errorf("%s: %w", word, err)
			}
		}
		if err := os.Unsetenv(restrictEnv); err != nil {
			return err
		}
		return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}()
	fmt.Fprintln(os.Stderr, "e2e: cannot restrict:", err)
	os.Exit(125)
}

func restrict(word string) error {
	number, known := callNumbers[runtime.GOARCH]
	if !known {
		return fmt.Errorf("not written for %s", runtime.GOARCH)
	}
	ioctl := func(request uint32) []syscall.SockFilter {
		return []syscall.SockFilter{
			{Code: jumpIfEqual, K: syscall.SYS_IOCTL, Jf: 3},
			{Code: loadWord, K: dataArg1},
			{Code: jumpIfEqual, K: request, Jf: 1},
		}
	}
	switch word {
	case noAdmin:
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prCapBSetDrop, capSysAdmin, 0); errno != 0 {
			return errno
		}
		return nil
	case unready:
		// Whatever the flags: the vDSO's getrandom seeds itself without GRND_NONBLOCK.
		return filter([]syscall.SockFilter{{Code: jumpIfEqual, K: number.getrandom, Jf: 1}}, seccompErrno|uint32(syscall.EAGAIN))
	case noReseed:
		return filter(ioctl(rndReseedCRNG), seccompErrno|uint32(syscall.EINVAL))
	case hangAdd:
		return filter(ioctl(rndAddEntropy), seccompNotify)
	case hangReseed:
		return filter(ioctl(rndReseedCRNG), seccompNotify)
	}
	return fmt.Errorf("unknown restriction")
}

// filter installs a system call filter that takes the action for calls that match, which begins
// with the call's number at hand. Calls to notify somebody about wait for an answer, and as the
// only descriptor by which one could come is left to the program, which knows nothing of it, they
// wait until the process is killed.
func filter(match []syscall.SockFilter, action uint32) error {
	program := slices.Concat([]syscall.SockFilter{{Code: loadWord, K: dataNumber}}, match, []syscall.SockFilter{
		{Code: returnConstant, K: action},
		{Code: returnConstant, K: seccompAllow},
	})
	prog := syscall.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	flags := uintptr(0)
	if action == seccompNotify {
		flags = seccompNewListener
	}
	fd, _, errno := syscall.RawSyscall(uintptr(callNumbers[runtime.GOARCH].seccomp), seccompSetFilter, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno == 0 && action == seccompNotify {
		_, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_SETFD, 0) // keep it open
	}
	if errno != 0 {
		return errno
	}
	return nil
}
