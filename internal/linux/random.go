package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxAddEntropy is the largest number of bytes that one AddEntropy call takes. It is well below
// a page on purpose: at each page border the kernel looks for pending signals, and a signal (the
// Go runtime sends itself many) makes it answer EFAULT with the data mixed but not credited.
const MaxAddEntropy = 512

// poolInfo is struct rand_pool_info of include/uapi/linux/random.h with the data in place. All
// its fields are 32-bit in host byte order, so 32-bit processes on 64-bit kernels see the same.
type poolInfo struct {
	entropyCount int32 // bits
	bufSize      int32 // bytes
	buf          [MaxAddEntropy]byte
}

// RandomDevice is an open /dev/random (or /dev/urandom), the sink of the daemon.
type RandomDevice struct {
	fd   int
	path string
	node Node
}

// OpenRandom opens the kernel's random device at path for reading and writing. It does not check
// that the file is a random device: the first AddEntropy tells (ENOTTY).
func OpenRandom(path string) (*RandomDevice, error) {
	// O_NONBLOCK matters only where path is not what it should be, such as a FIFO: the open and
	// every write then return instead of waiting for a peer.
	fd, node, err := openNode(path, unix.O_RDWR|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &RandomDevice{fd: fd, path: path, node: node}, nil
}

// Node describes the opened file.
func (d *RandomDevice) Node() Node { return d.node }

// AddEntropy mixes data into the kernel's pool and credits creditBits bits (RNDADDENTROPY).
//
// It refuses more than MaxAddEntropy bytes and more credit than there are bits of data, since
// the kernel checks neither. Any answer of zero or more is success: some kernels return the byte
// count. After an error the data may or may not have been mixed; it must not be offered again.
func (d *RandomDevice) AddEntropy(data []byte, creditBits int) error {
	if len(data) > MaxAddEntropy || creditBits < 0 || creditBits > 8*len(data) {
		return fmt.Errorf("RNDADDENTROPY %s: refused to offer %d bytes with a credit of %d bits", d.path, len(data), creditBits)
	}
	info := &poolInfo{entropyCount: int32(creditBits), bufSize: int32(len(data))}
	copy(info.buf[:], data)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(d.fd), uintptr(unix.RNDADDENTROPY), uintptr(unsafe.Pointer(info)))
	clear(info.buf[:])
	if errno != 0 {
		return &os.PathError{Op: "RNDADDENTROPY", Path: d.path, Err: errno}
	}
	return nil
}

// ProbeAddEntropy asks the kernel whether AddEntropy would work, by a call with no data and no
// credit. It changes nothing. The answer is EPERM without CAP_SYS_ADMIN in the initial user
// namespace, ENOTTY on a file that is no random device, ENOSYS under user-mode emulation.
func (d *RandomDevice) ProbeAddEntropy() error { return d.AddEntropy(nil, 0) }

// ReseedCRNG makes the kernel derive a new generator key from its pool now (RNDRESEEDCRNG).
// Kernels before 4.17 answer EINVAL, an unseeded generator ENODATA.
func (d *RandomDevice) ReseedCRNG() error {
	if err := unix.IoctlSetInt(d.fd, unix.RNDRESEEDCRNG, 0); err != nil {
		return &os.PathError{Op: "RNDRESEEDCRNG", Path: d.path, Err: err}
	}
	return nil
}

// EntropyCount returns the kernel's estimate in bits (RNDGETENTCNT). It needs no privilege.
func (d *RandomDevice) EntropyCount() (int, error) {
	// The kernel writes 32 bits; fetching into an int would be wrong on 64-bit big-endian.
	bits, err := unix.IoctlGetUint32(d.fd, unix.RNDGETENTCNT)
	if err != nil {
		return 0, &os.PathError{Op: "RNDGETENTCNT", Path: d.path, Err: err}
	}
	return int(bits), nil
}

// Write mixes data into the pool without any credit. Every user may.
func (d *RandomDevice) Write(data []byte) (int, error) {
	n, err := retryEINTR(func() (int, error) { return unix.Write(d.fd, data) })
	if err != nil {
		return max(n, 0), &os.PathError{Op: "write", Path: d.path, Err: err}
	}
	return n, nil
}

// WaitWritable waits until the kernel asks for entropy (POLLOUT), limit has passed or ctx is
// done, and tells whether the kernel asked. On kernels since 5.18 a ready generator never asks;
// /dev/urandom always seems to ask.
func (d *RandomDevice) WaitWritable(ctx context.Context, limit time.Duration) (bool, error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return false, fmt.Errorf("eventfd: %w", err)
	}
	defer unix.Close(wake)
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		// Eight bytes in host order make one event; any value but zero and all ones serves.
		_, _ = unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 1})
	})
	defer func() {
		if !stop() {
			<-woken // the descriptor must outlive the write
		}
	}()

	deadline := time.Now().Add(limit)
	fds := []unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLOUT}, {Fd: int32(wake), Events: unix.POLLIN}}
	for {
		left := time.Until(deadline)
		if left <= 0 || ctx.Err() != nil {
			return false, ctx.Err()
		}
		_, err := unix.Poll(fds, int(left.Milliseconds())+1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return false, &os.PathError{Op: "poll", Path: d.path, Err: err}
		case fds[0].Revents&unix.POLLOUT != 0:
			return true, nil
		case fds[0].Revents != 0:
			return false, &os.PathError{Op: "poll", Path: d.path, Err: unix.EIO}
		}
	}
}

// Close closes the device.
func (d *RandomDevice) Close() error { return unix.Close(d.fd) }

// CRNGReady tells whether the kernel's random generator is seeded, which is what makes
// getrandom(2) return. It never blocks and never starts the kernel's own jitter loop.
func CRNGReady() (bool, error) {
	var one [1]byte
	_, err := retryEINTR(func() (int, error) { return unix.Getrandom(one[:], unix.GRND_NONBLOCK) })
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EAGAIN):
		return false, nil
	}
	return false, fmt.Errorf("getrandom(GRND_NONBLOCK): %w", err)
}

// retryEINTR repeats call while a signal interrupts it; x/sys does not.
func retryEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
