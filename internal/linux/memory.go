package linux

import (
	"os"

	"golang.org/x/sys/unix"
)

// MapMemory returns size bytes of zeroed private memory that the Go runtime knows nothing of: it is
// never scanned, and UnmapMemory gives it back to the kernel at once. Pages come with the first
// touch.
func MapMemory(size int) ([]byte, error) {
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return m, nil
}

// UnmapMemory gives back what MapMemory returned. Nothing may use it any more.
func UnmapMemory(m []byte) error { return os.NewSyscallError("munmap", unix.Munmap(m)) }
