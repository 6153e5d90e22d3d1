package cpu

import "encoding/binary"

const wordSize = 8

func drawRDSEED(dst []byte) bool {
	number, ok := executeRDSEED()
	binary.LittleEndian.PutUint64(dst, number)
	return ok
}

func drawRDRAND(dst []byte) bool {
	number, ok := executeRDRAND()
	binary.LittleEndian.PutUint64(dst, number)
	return ok
}

// executeRDSEED executes RDSEED once, and PAUSE after a failure.
func executeRDSEED() (number uint64, ok bool)

// executeRDRAND executes RDRAND once.
func executeRDRAND() (number uint64, ok bool)
