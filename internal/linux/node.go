package linux

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Node says what sort of file a path leads to, after symbolic links.
type Node struct {
	Type         NodeType
	Major, Minor uint32 // of devices, else 0

	dev, ino uint64 // identity of the file itself
}

// Same tells whether both are one file, which the same path need not lead to twice.
func (n Node) Same(o Node) bool { return n.dev == o.dev && n.ino == o.ino }

// NodeType is the type of a file.
type NodeType uint8

// The file types that the daemon tells apart.
const (
	OtherNode NodeType = iota
	CharDevice
	FIFO
	RegularFile
	Directory
)

// StatNode looks at path without opening it.
func StatNode(path string) (Node, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Node{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return nodeOf(&st), nil
}

// FileNode looks at a file that is open, such as standard input.
func FileNode(f *os.File) (Node, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return Node{}, err
	}
	var node Node
	var statErr error
	if err := raw.Control(func(fd uintptr) { node, statErr = fstatNode(int(fd)) }); err != nil {
		return Node{}, err
	}
	if statErr != nil {
		return Node{}, &os.PathError{Op: "fstat", Path: f.Name(), Err: statErr}
	}
	return node, nil
}

// openNode opens path close-on-exec and never as controlling terminal, and looks at what it opened,
// which a path alone cannot tell reliably.
func openNode(path string, flags int) (fd int, node Node, err error) {
	fd, err = retryEINTR(func() (int, error) { return unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NOCTTY, 0) })
	if err != nil {
		return -1, Node{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if node, err = fstatNode(fd); err != nil {
		unix.Close(fd)
		return -1, Node{}, &os.PathError{Op: "fstat", Path: path, Err: err}
	}
	return fd, node, nil
}

func fstatNode(fd int) (Node, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Node{}, err
	}
	return nodeOf(&st), nil
}

func nodeOf(st *unix.Stat_t) Node {
	var n Node
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR:
		n = Node{Type: CharDevice, Major: unix.Major(uint64(st.Rdev)), Minor: unix.Minor(uint64(st.Rdev))}
	case unix.S_IFIFO:
		n.Type = FIFO
	case unix.S_IFREG:
		n.Type = RegularFile
	case unix.S_IFDIR:
		n.Type = Directory
	}
	n.dev, n.ino = uint64(st.Dev), uint64(st.Ino)
	return n
}

// KernelGenerator returns the name of the kernel's own generator that the node is, or "". Such a
// node can never be a source: it would feed the kernel with its own output. Numbers are those of
// Documentation/admin-guide/devices.txt, since names can be links.
func (n Node) KernelGenerator() string {
	if n.Type != CharDevice || n.Major != 1 {
		return ""
	}
	switch n.Minor {
	case 8:
		return "/dev/random"
	case 9:
		return "/dev/urandom"
	case 11:
		return "/dev/kmsg"
	}
	return ""
}

// IsURandom tells whether the node is /dev/urandom, on which poll always reports room.
func (n Node) IsURandom() bool { return n.Type == CharDevice && n.Major == 1 && n.Minor == 9 }

func (n Node) String() string {
	switch n.Type {
	case CharDevice:
		return fmt.Sprintf("character device %d:%d", n.Major, n.Minor)
	case FIFO:
		return "FIFO"
	case RegularFile:
		return "regular file"
	case Directory:
		return "directory"
	}
	return "special file"
}
