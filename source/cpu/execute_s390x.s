#include "textflag.h"

// Go's assembler knows neither instruction. The compiler expects 0 in R0.

// func facilities() uint64
TEXT ·facilities(SB), NOSPLIT|NOFRAME, $0-8
	MOVD $ret+0(FP), R1
	MOVD $0, R0          // one doubleword
	WORD $0xB2B01000     // STFLE 0(R1)
	RET

// func queryPRNO(functions *[16]byte)
TEXT ·queryPRNO(SB), NOSPLIT|NOFRAME, $0-8
	MOVD functions+0(FP), R1 // parameter block
	MOVD $0, R0              // function PRNO-Query
	WORD $0xB93C0024         // PRNO R2, R4; RRE: opcode B93C, registers 2 and 4
	RET

// func executeTRNG(dst *byte, n int)
TEXT ·executeTRNG(SB), NOSPLIT|NOFRAME, $0-16
	MOVD $0, R2          // R2, R3: no raw entropy
	MOVD $0, R3
	MOVD dst+0(FP), R4   // R4, R5: conditioned entropy
	MOVD n+8(FP), R5
	MOVD $114, R0        // function PRNO-TRNG

again:
	WORD $0xB93C0024     // PRNO R2, R4
	BVS  again           // condition code 3: partly done
	MOVD $0, R0
	RET
