//go:build !minimal

// Package landlock forbids this process what it has no use for.
package landlock

import (
	"github.com/landlock-lsm/go-landlock/landlock"
	access "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Enter forbids this process, for good, to execute any file, to write outside of the directories in
// write, and to open TCP connections. Those that are not there are left out. A kernel that knows only
// part of that forbids what it knows (Linux 5.13 and later, if it was built with Landlock and has it
// switched on), others nothing; neither is an error. It returns the version of the kernel's interface, 0
// if there is none.
func Enter(write ...string) (abi int, err error) {
	if abi, err = access.LandlockGetABIVersion(); err != nil {
		return 0, nil // also if a filter forbids to ask
	}
	all := landlock.AccessFSSet(access.AccessFSExecute | access.AccessFSWriteFile | access.AccessFSReadFile |
		access.AccessFSReadDir | access.AccessFSRemoveDir | access.AccessFSRemoveFile | access.AccessFSMakeChar |
		access.AccessFSMakeDir | access.AccessFSMakeReg | access.AccessFSMakeSock | access.AccessFSMakeFifo |
		access.AccessFSMakeBlock | access.AccessFSMakeSym | access.AccessFSRefer | access.AccessFSTruncate)
	config := landlock.Config{HandledAccessFS: all, HandledAccessNet: access.AccessNetConnectTCP}
	return abi, config.BestEffort().Restrict(
		landlock.PathAccess(access.AccessFSReadFile|access.AccessFSReadDir, "/"),
		landlock.RWDirs(write...).IgnoreIfMissing(),
	)
}
