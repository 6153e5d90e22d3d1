//go:build 386 || amd64 || arm || arm64 || riscv64 || loong64 || s390x

package linux

// The fields of an ioctl number, include/uapi/asm-generic/ioctl.h.
const (
	iocNone     = 0
	iocWrite    = 1
	iocRead     = 2
	iocDirShift = 30
)

// ioctlNumbers is what the formula must come to here (reference/kernel.md, 1.6).
var ioctlNumbers = map[string]uint32{
	"RNDGETENTCNT":  0x80045200,
	"RNDADDENTROPY": 0x40085203,
	"RNDRESEEDCRNG": 0x5207,
}
