//go:build ppc64 || ppc64le

#include "textflag.h"

// func executeDARN() uint64
TEXT ·executeDARN(SB), NOSPLIT, $0-8
	DARN $1, R3
	MOVD R3, ret+0(FP)
	RET
