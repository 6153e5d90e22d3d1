#include "textflag.h"

// Both are reads of a system register, MRS <Xt>, S3_3_C2_C4_<op2> (Arm Architecture Reference Manual,
// DDI 0487, FEAT_RNG): 0xD5200000 | op0 3 <<19 | op1 3 <<16 | CRn 2 <<12 | CRm 4 <<8 | op2 <<5 | Rt. The
// flag Z tells of a failure.

// func executeRNDRRS() (number uint64, ok bool)
TEXT ·executeRNDRRS(SB), NOSPLIT, $0-9
	WORD $0xD53B2420         // MRS X0, RNDRRS (op2 is 1)
	CSET NE, R1
	MOVD R0, number+0(FP)
	MOVB R1, ok+8(FP)
	RET

// func executeRNDR() (number uint64, ok bool)
TEXT ·executeRNDR(SB), NOSPLIT, $0-9
	WORD $0xD53B2400         // MRS X0, RNDR (op2 is 0)
	CSET NE, R1
	MOVD R0, number+0(FP)
	MOVB R1, ok+8(FP)
	RET
