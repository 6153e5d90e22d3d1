#include "textflag.h"

// func executeRDSEED() (number uint32, ok bool)
TEXT ·executeRDSEED(SB), NOSPLIT, $0-5
	RDSEEDL AX
	JCC     none                // carry is set on success
	MOVL    AX, number+0(FP)
	MOVB    $1, ok+4(FP)
	RET

none:
	PAUSE
	MOVL $0, number+0(FP)
	MOVB $0, ok+4(FP)
	RET

// func executeRDRAND() (number uint32, ok bool)
TEXT ·executeRDRAND(SB), NOSPLIT, $0-5
	RDRANDL AX
	SETCS   ok+4(FP)            // carry is set on success
	MOVL    AX, number+0(FP)
	RET
