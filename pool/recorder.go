package pool

import "time"

// Recorder is told what happens at the kernel's pool. Metrics implement it. Its methods are
// safe for concurrent use and never block.
type Recorder interface {
	CRNGReady(bool)                                        // what getrandom last answered
	KernelPool(available, size int)                        // bits, as procfs shows them
	Credited(source string, bits, bytes int, at time.Time) // one accepted RNDADDENTROPY
	Mixed(source string, bytes int)                        // bytes written without any credit
	FirstCredit(sinceStart, sinceBoot time.Duration)       // once
	IoctlError(IoctlOp, IoctlReason)                       // a call on the random device that failed
	Waited(WaitReason, time.Duration)                      // time spent not feeding
	RefillInterval(time.Duration)                          // the interval in force
	Monitor(bool)                                          // whether nothing is credited, by configuration
	Fallback(bool)                                         // a source of last resort is asked for want of others
}

// IoctlOp names a call on the random device.
type IoctlOp uint8

// The calls.
const (
	OpAddEntropy IoctlOp = iota // RNDADDENTROPY
	OpReseedCRNG                // RNDRESEEDCRNG
	OpGetCount                  // RNDGETENTCNT
)

// IoctlOps lists every call.
var IoctlOps = [...]IoctlOp{OpAddEntropy, OpReseedCRNG, OpGetCount}

var ioctlOpNames = [...]string{"add_entropy", "reseed_crng", "get_count"}

func (o IoctlOp) String() string { return ioctlOpNames[o] }

// IoctlReason classes the kernel's answer to a failed call.
type IoctlReason uint8

// The reasons.
const (
	IoctlEPERM IoctlReason = iota
	IoctlEINVAL
	IoctlEFAULT
	IoctlENODEV
	IoctlOther
)

// IoctlReasons lists every reason.
var IoctlReasons = [...]IoctlReason{IoctlEPERM, IoctlEINVAL, IoctlEFAULT, IoctlENODEV, IoctlOther}

var ioctlReasonNames = [...]string{"eperm", "einval", "efault", "enodev", "other"}

func (r IoctlReason) String() string { return ioctlReasonNames[r] }

// WaitReason says why the feeder is not feeding.
type WaitReason uint8

// The reasons to wait.
const (
	WaitKernelFull WaitReason = iota // a legacy pool asks for nothing
	WaitNoSource                     // no source has a tested block
	WaitRateLimit                    // the refill interval has not passed
)

// WaitReasons lists every reason.
var WaitReasons = [...]WaitReason{WaitKernelFull, WaitNoSource, WaitRateLimit}

var waitReasonNames = [...]string{"kernel_full", "no_source", "rate_limit"}

func (r WaitReason) String() string { return waitReasonNames[r] }
