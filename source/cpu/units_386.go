package cpu

import "encoding/binary"

const wordSize = 4

// drawRDSEED takes zero for a failure: the 32-bit form of AMD's Zen 5 gives it with the flag for success
// when it has nothing (AMD-SB-7055, which names this remedy). That costs an intact CPU one number in 2^32.
func drawRDSEED(dst []byte) bool {
	number, ok := executeRDSEED()
	binary.LittleEndian.PutUint32(dst, number)
	return ok && number != 0
}

func drawRDRAND(dst []byte) bool {
	number, ok := executeRDRAND()
	binary.LittleEndian.PutUint32(dst, number)
	return ok
}

// executeRDSEED executes RDSEED once, and PAUSE after a failure.
func executeRDSEED() (number uint32, ok bool)

// executeRDRAND executes RDRAND once.
func executeRDRAND() (number uint32, ok bool)
