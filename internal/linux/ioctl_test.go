package linux

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// _IO, _IOR and _IOW of the random device, 'R' (include/uapi/linux/random.h).
const (
	ioR = 'R' << 8

	wantGetEntCnt  = iocRead<<iocDirShift | 4<<16 | ioR         // _IOR('R', 0x00, int)
	wantAddEntropy = iocWrite<<iocDirShift | 8<<16 | ioR | 0x03 // _IOW('R', 0x03, int[2])
	wantReseedCRNG = iocNone<<iocDirShift | ioR | 0x07          // _IO('R', 0x07)
)

// These do not compile where a number or the layout is wrong: an index other than 0 is out of
// range, a negative constant does not fit. TestEveryArchitecture puts all architectures through
// the type checker, so a wrong one is seen on any machine.
var (
	_ = [1]int{}[unix.RNDGETENTCNT-wantGetEntCnt]
	_ = [1]int{}[unix.RNDADDENTROPY-wantAddEntropy]
	_ = [1]int{}[unix.RNDRESEEDCRNG-wantReseedCRNG]

	_ = [1]int{}[unsafe.Offsetof(poolInfo{}.entropyCount)-0]
	_ = [1]int{}[unsafe.Offsetof(poolInfo{}.bufSize)-4]
	_ = [1]int{}[unsafe.Offsetof(poolInfo{}.buf)-8]
	_ = [1]int{}[unsafe.Sizeof(poolInfo{})-8-MaxAddEntropy]
	_ = [1]int{}[unsafe.Sizeof(poolInfo{}.entropyCount)-4]
	_ = [1]int{}[unsafe.Sizeof(poolInfo{}.bufSize)-4]
)

func TestIoctlNumbers(t *testing.T) {
	for name, n := range map[string]struct{ used, formula uint32 }{
		"RNDGETENTCNT":  {unix.RNDGETENTCNT, wantGetEntCnt},
		"RNDADDENTROPY": {unix.RNDADDENTROPY, wantAddEntropy},
		"RNDRESEEDCRNG": {unix.RNDRESEEDCRNG, wantReseedCRNG},
	} {
		if n.used != n.formula || n.used != ioctlNumbers[name] {
			t.Errorf("%s is %#x, by formula %#x, by table %#x", name, n.used, n.formula, ioctlNumbers[name])
		}
	}
}

// A block must stay below a page wherever pages are smallest: see MaxAddEntropy.
func TestBlockFitsPage(t *testing.T) {
	if size := unsafe.Sizeof(poolInfo{}); size >= 4096 {
		t.Errorf("one RNDADDENTROPY hands over %d bytes, a page or more", size)
	}
}
