// Package source turns noise sources into tested blocks.
//
// A [Source] delivers raw bytes of one generator. A [Worker] owns one source: it reads, puts
// every sample through the SP 800-90B health tests and every 2500 bytes through the FIPS 140-2
// block tests, and hands out only blocks that passed, and only after the start-up test.
//
// Nothing here credits anything: package pool does. Nothing here is the operating system
// either: sources in sub-packages talk to devices.
package source

import (
	"context"
	"fmt"
)

// Kind says what sort of device a source reads. It is a closed label of the metrics.
type Kind string

// The kinds of source.
const (
	KindHWRNG   Kind = "hwrng"   // a driver behind /dev/hwrng
	KindTPM     Kind = "tpm"     // a TPM, behind /dev/hwrng or by itself: slow, read sparingly
	KindJitter  Kind = "jitter"  // timing jitter of the CPU
	KindTTY     Kind = "serial"  // a terminal line: a serial port or a USB device that shows as one
	KindCPU     Kind = "cpu"     // an instruction of the CPU
	KindAFALG   Kind = "afalg"   // a generator of the kernel crypto API
	KindCommand Kind = "command" // standard output of a program
	KindFile    Kind = "file"    // a regular file or FIFO, for tests
)

// Kinds lists every Kind.
var Kinds = [...]Kind{KindHWRNG, KindTPM, KindJitter, KindTTY, KindCPU, KindAFALG, KindCommand, KindFile}

// String returns the value of the label.
func (k Kind) String() string { return string(k) }

// Info describes a source as it is now. Driver and with it the claim can change while the
// source runs, for the kernel may put another generator behind the same device.
type Info struct {
	Name   string // the configured name, such as "hwrng"
	Kind   Kind
	Device string // path, "" if there is none
	Driver string // generator name as the kernel gives it, "" if unknown
	Note   string // what is known of that driver, one line for people, "" if nothing

	// Noise is what the randomness comes from, "" if no other source can share it.
	Noise Noise
	// MinEntropy is the claimed min-entropy in bits per byte, above 0 and at most 8. Tests can
	// veto a claim; they never raise it.
	MinEntropy float64
	// Conditioned says that the source tests its raw samples itself and delivers conditioned data
	// of full entropy, on which health tests of samples would find nothing.
	Conditioned bool
	// ClaimOrigin tells where MinEntropy comes from: "configured", "driver table", "default",
	// with ", capped by rng_quality N" where that holds.
	ClaimOrigin string
	// FailureRate is the share of blocks that the part is documented to fail in the FIPS 140-2 tests
	// although it works as designed, 0 for what chance explains.
	FailureRate float64
}

// Source delivers the raw bytes of one generator.
//
// Only one goroutine uses a Source, its Worker's.
type Source interface {
	// Info returns the source's present description. It never blocks.
	Info() Info

	// Read fills at most len(dst) bytes and returns how many. It waits until there is at least
	// one byte, an error, or ctx is done, and returns at once then even if the device hangs.
	// Bytes that a device delivers after ctx is done go to the next Read.
	//
	// Errors: [*ChangedError] when the source is not what it was, as with another generator behind
	// the device: what was read before must not be used. [*UnavailableError] when there is nothing to read from. ctx.Err().
	// Anything else is a read error that may pass.
	Read(ctx context.Context, dst []byte) (int, error)

	// Watch looks at the source's surroundings while nobody reads (which generator is current,
	// does the node exist) and answers with the same errors as Read, or nil.
	Watch() error

	// Close releases the device. It never waits for a read that hangs.
	Close() error
}

// Shunner is a [Source] that may have another generator to offer.
type Shunner interface {
	// Shun tells that the present generator failed its tests. If the source puts another one in its
	// place, the next Watch or Read reports a [*ChangedError].
	Shun()
}

// Rotator is a [Source] that may give each of several generators its turn.
type Rotator interface {
	// Rotation tells how that goes, nil if this source does not or has not begun. It may be called while another
	// method runs, and nothing in what it returns changes afterwards.
	Rotation() *Rotation
}

// ChangedError reports that a source is no longer what it was, so that its tests start anew.
type ChangedError struct {
	What     string // "generator" or "claim"
	From, To string // as people read it
	// InTurn says that the source goes from one to the other and comes back, so that what is held against
	// each is kept apart, by these names.
	InTurn bool
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s changed from %s to %s", e.What, e.From, e.To)
}

// UnavailableError reports that a source has nothing to read from at present. Workers keep
// trying: drivers load late, devices return.
type UnavailableError struct {
	Reason string // what is missing, with path and the kernel's answer
	Hint   string // what the user can do, "" if nothing
	Denied bool   // the configuration forbids it
	Err    error  // cause, may be nil; errors.Is sees os.ErrNotExist and os.ErrPermission
}

func (e *UnavailableError) Error() string { return e.Reason }

func (e *UnavailableError) Unwrap() error { return e.Err }

// FailedError reports that a source must not be used again before the daemon restarts.
type FailedError struct {
	Reason string
	Hint   string // what the user can do, "" if nothing
}

func (e *FailedError) Error() string { return e.Reason }
