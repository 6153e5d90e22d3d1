#include "textflag.h"

// func executeRDSEED() (number uint64, ok bool)
TEXT ·executeRDSEED(SB), NOSPLIT, $0-9
	RDSEEDQ AX
	JCC     none                // carry is set on success
	MOVQ    AX, number+0(FP)
	MOVB    $1, ok+8(FP)
	RET

none:
	PAUSE
	MOVQ $0, number+0(FP)
	MOVB $0, ok+8(FP)
	RET

// func executeRDRAND() (number uint64, ok bool)
TEXT ·executeRDRAND(SB), NOSPLIT, $0-9
	RDRANDQ AX
	SETCS   ok+8(FP)            // carry is set on success
	MOVQ    AX, number+0(FP)
	RET
