//go:build mips || mipsle || mips64 || mips64le || ppc64 || ppc64le

package linux

// The fields of an ioctl number where they differ from the generic ones:
// arch/mips/include/uapi/asm/ioctl.h, arch/powerpc/include/uapi/asm/ioctl.h.
const (
	iocNone     = 1
	iocRead     = 2
	iocWrite    = 4
	iocDirShift = 29
)

// ioctlNumbers is what the formula must come to here (reference/kernel.md, 1.6).
var ioctlNumbers = map[string]uint32{
	"RNDGETENTCNT":  0x40045200,
	"RNDADDENTROPY": 0x80085203,
	"RNDRESEEDCRNG": 0x20005207,
}
