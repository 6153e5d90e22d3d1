package command

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"github.com/hwrngd/hwrngd/source"
)

// overflowID is the number of the user and group nobody where no name says otherwise: the kernel's
// default for fs.overflowuid and fs.overflowgid (Documentation/admin-guide/sysctl/fs.rst).
const overflowID = 65534

// credential returns whom the program runs as, nil for this process's own user. Errors are an
// [*source.UnavailableError].
func (o Options) credential() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	name := o.User
	if name == "" {
		name = DefaultUser
	}
	uid, gid, err := findUser(name)
	if err == nil && o.Group != "" {
		gid, err = findGroup(o.Group)
	}
	if err != nil {
		return nil, &source.UnavailableError{
			Reason: fmt.Sprintf("run %s: %v", o.Argv[0], err), Err: err, Denied: true,
			Hint: "configure a user and a group that exist",
		}
	}
	return &syscall.Credential{Uid: uid, Gid: gid}, nil // and no other groups
}

// findUser returns the numbers of a user and of the group that it belongs to.
func findUser(name string) (uid, gid uint32, err error) {
	u, err := user.Lookup(name)
	if n, parseErr := strconv.ParseUint(name, 10, 32); parseErr == nil && err != nil {
		if u, err = user.LookupId(name); err != nil {
			return uint32(n), overflowID, nil // a number is good without a name
		}
	}
	if err != nil {
		if name == DefaultUser {
			return overflowID, overflowID, nil
		}
		return 0, 0, err
	}
	if uid, err = parseID(u.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = parseID(u.Gid)
	return uid, gid, err
}

func findGroup(name string) (uint32, error) {
	if gid, err := parseID(name); err == nil {
		return gid, nil
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, err
	}
	return parseID(g.Gid)
}

func parseID(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err
}
