package pool

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// Kernel is the kernel's random generator as the feeder needs it. [OpenKernel] returns the real
// one, package pooltest a fake.
type Kernel interface {
	// AddEntropy mixes data and credits creditBits bits.
	AddEntropy(data []byte, creditBits int) error
	// Write mixes data without credit; no privilege is needed.
	Write(data []byte) (int, error)
	// Reseed makes the generator take a new key from the pool now.
	Reseed() error
	// Ready tells whether the generator is seeded.
	Ready() (bool, error)
	// WaitWritable waits until the kernel asks for entropy, at most limit, and tells whether it
	// asked. It returns early when ctx is done.
	WaitWritable(ctx context.Context, limit time.Duration) (bool, error)
	// Levels returns the estimate and its maximum in bits, as procfs shows them; size is 256
	// since Linux 5.18 and 4096 before, 0 if it is not known.
	Levels() (available, size int)
}

// kernel is the real one.
type kernel struct {
	*linux.RandomDevice
	proc linux.Procfs
}

// OpenKernel opens the random device at path. The levels come from proc.
//
// Errors: an open error; [*NotRandomError] if the file takes no entropy. The lack of the
// privilege to credit is no error here: see [CanCredit].
func OpenKernel(path string, proc linux.Procfs) (Kernel, error) {
	dev, err := linux.OpenRandom(path)
	if err != nil {
		return nil, err
	}
	// ENOSYS comes from an emulator or a sandbox that does not know the call, and says nothing of the file.
	if err := dev.ProbeAddEntropy(); err != nil && !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOSYS) {
		dev.Close()
		return nil, &NotRandomError{Path: path, Node: dev.Node(), Err: err}
	}
	return kernel{dev, proc}, nil
}

// CanCredit asks the kernel whether it would take credit from this process, by a call that
// changes nothing.
func CanCredit(k Kernel) bool { return k.AddEntropy(nil, 0) == nil }

// NotRandomError reports a sink that is no random device.
type NotRandomError struct {
	Path string
	Node linux.Node
	Err  error
}

func (e *NotRandomError) Error() string {
	return "cannot feed " + e.Path + " (" + e.Node.String() + "): " + e.Err.Error()
}

func (e *NotRandomError) Unwrap() error { return e.Err }

func (k kernel) Reseed() error { return k.ReseedCRNG() }

func (k kernel) Ready() (bool, error) { return linux.CRNGReady() }

// WaitWritable never reports a wish of /dev/urandom, which always seems to have one.
func (k kernel) WaitWritable(ctx context.Context, limit time.Duration) (bool, error) {
	if k.Node().IsURandom() {
		return false, sleep(ctx, limit)
	}
	return k.RandomDevice.WaitWritable(ctx, limit)
}

func (k kernel) Levels() (available, size int) {
	available, err := k.proc.EntropyAvailable()
	if err != nil {
		available = 0
	}
	if size, err = k.proc.PoolSize(); err != nil {
		size = 0
	}
	return available, size
}

// ioctlReason classes an error for metrics.
func ioctlReason(err error) IoctlReason {
	switch {
	case errors.Is(err, syscall.EPERM):
		return IoctlEPERM
	case errors.Is(err, syscall.EINVAL):
		return IoctlEINVAL
	case errors.Is(err, syscall.EFAULT):
		return IoctlEFAULT
	case errors.Is(err, syscall.ENODEV):
		return IoctlENODEV
	}
	return IoctlOther
}
