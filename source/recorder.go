package source

import (
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// Recorder is told what happens to one source. Metrics implement it. Its methods are safe for
// concurrent use and never block.
type Recorder interface {
	Info(Info)                                                      // the description, at start and at each change
	State(State)                                                    // the state just entered
	Read(n int, took time.Duration)                                 // n bytes read
	ReadError(ReadReason)                                           // a read, open or watch that failed
	Discarded(n int, why DiscardReason)                             // n bytes read and never used
	Block(fips.Failure)                                             // one block tested; the zero value is a pass
	HealthSamples(n int)                                            // n samples put through RCT and APT
	HealthFailure(HealthTest, sp80090b.Verdict)                     // one alarm
	HealthCutoff(test HealthTest, cutoff int, alpha sp80090b.Alpha) // in force from now on
	StartupTest(took time.Duration)                                 // a start-up test just passed
	Success(at time.Time)                                           // a block was accepted
	MinEntropy(bits []float64)                                      // estimates per byte, in the order of Estimators; nil: none
}

// ReadReason classes read errors for metrics.
type ReadReason uint8

// The reasons of a failed read.
const (
	ReadEOF     ReadReason = iota // end of file: the device is gone
	ReadShort                     // a read of zero bytes where there was room
	ReadTimeout                   // nothing arrived within the stall limit
	ReadEIO
	ReadENODEV
	ReadEPERM // EPERM and EACCES
	ReadOther
)

// ReadReasons lists every reason.
var ReadReasons = [...]ReadReason{ReadEOF, ReadShort, ReadTimeout, ReadEIO, ReadENODEV, ReadEPERM, ReadOther}

var readReasonNames = [...]string{"eof", "short", "timeout", "eio", "enodev", "eperm", "other"}

func (r ReadReason) String() string { return readReasonNames[r] }

// DiscardReason says why bytes that were read are not used.
type DiscardReason uint8

// The reasons to discard.
const (
	DiscardStartup    DiscardReason = iota // flushed after an open or a switch, or spent on the start-up test
	DiscardFIPS                            // in a block that failed a FIPS 140-2 test
	DiscardHealth                          // in a block in which RCT or APT raised an alarm
	DiscardQuarantine                      // read to re-test a quarantined source
	DiscardStale                           // tested, but not wanted in time
)

// DiscardReasons lists every reason.
var DiscardReasons = [...]DiscardReason{DiscardStartup, DiscardFIPS, DiscardHealth, DiscardQuarantine, DiscardStale}

var discardReasonNames = [...]string{"startup", "fips", "health", "quarantine", "stale"}

func (r DiscardReason) String() string { return discardReasonNames[r] }

// HealthTest names a health test on raw samples.
type HealthTest uint8

// The health tests.
const (
	RCT    HealthTest = iota // repetition count test, SP 800-90B 4.4.1
	APT                      // adaptive proportion test, SP 800-90B 4.4.2
	Vendor                   // a test of the source's own, SP 800-90B 4.5: the lag test of jitter
)

// HealthTests lists every test.
var HealthTests = [...]HealthTest{RCT, APT, Vendor}

var healthTestNames = [...]string{"rct", "apt", "vendor"}

func (t HealthTest) String() string { return healthTestNames[t] }

// Estimator names an estimator of min-entropy, SP 800-90B 6.3.
type Estimator uint8

// The estimators that a running source is put through.
const (
	MCV       Estimator = iota // most common value, 6.3.1, of bytes
	Collision                  // 6.3.2, of bits
	Markov                     // 6.3.3, of bits
)

// Estimators lists every estimator.
var Estimators = [...]Estimator{MCV, Collision, Markov}

var estimatorNames = [...]string{"mcv", "collision", "markov"}

func (e Estimator) String() string { return estimatorNames[e] }
