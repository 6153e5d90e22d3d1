package tpm

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

// transport carries one command to a TPM and its answer back. [*linux.TPM] is the real one.
type transport interface {
	Exchange(command, answer []byte) (int, error)
	Close() error
}

// chip is a TPM as a stream of random bytes. A command that the driver has cannot be interrupted, and
// nothing lies ready from before.
type chip struct {
	transport
	answer [maxAnswer]byte
}

var _ stream.Stream = (*chip)(nil)

// Read asks for at most len(p) bytes by one command.
func (c *chip) Read(p []byte) (int, error) {
	p = p[:min(len(p), maxRandom)]
	n, err := c.Exchange(request(len(p)), c.answer[:])
	if err != nil {
		return 0, err
	}
	defer clear(c.answer[:n])
	data, err := answered(c.answer[:n], len(p))
	return copy(p, data), err
}

func (c *chip) Flush() error { return nil }
func (c *chip) Interrupt()   {}

// open opens the device, if it still is that node. It runs on the reader's goroutine.
func (o Options) open(node linux.Node) (transport, error) {
	t, err := linux.OpenTPM(o.Device)
	if err != nil {
		return nil, err
	}
	if !t.Node().Same(node) { // the path leads elsewhere by now, which the next look at it tells
		t.Close()
		return nil, nil
	}
	return t, nil
}

// vet tells why a device must not be read, in an [*source.UnavailableError], or returns nil. Whatever is
// written to a device that is no TPM could do harm there.
func (o Options) vet(node linux.Node) error {
	refuse := func(hint, format string, args ...any) error {
		return &source.UnavailableError{Reason: fmt.Sprintf(o.Device+" "+format, args...), Hint: hint, Denied: true}
	}
	if node.Type != linux.CharDevice || node.KernelGenerator() != "" {
		return refuse("configure the device of a TPM, such as /dev/tpmrm0", "is no TPM but a %s", node)
	}
	class, name := o.Sysfs.CharDevice(node)
	// CUSE is how software TPMs make a device. What sysfs does not know is not the kernel's.
	if !slices.Contains([]string{"", "tpm", "tpmrm", "cuse"}, class) {
		return refuse("configure the device of a TPM, such as /dev/tpmrm0", "is no TPM but the device %s of class %s", name, class)
	}
	number := strings.TrimLeft(name, "tpmr")
	if name != "" && o.Sysfs.TPMVersion(number) == 1 {
		return refuse(oldHint, "is a TPM 1.2")
	}
	generators, _ := o.Sysfs.RNGAvailable() // without the class there are none
	for _, g := range generators {
		// Old kernels gave no number.
		if own := strings.TrimPrefix(g, "tpm-rng"); own != g && (own == "" || name == "" || own == "-"+number) {
			return refuse("nothing is lost; hwrng-select chooses it there",
				"is read through /dev/hwrng already: the kernel has it among its generators as %s", g)
		}
	}
	return nil
}

const oldHint = "only the kernel reads a TPM 1.2 (tpm-rng-0 behind /dev/hwrng): its command for random numbers is another one"

// explain says what an error of the device means.
func explain(err error, path string) error {
	u := &source.UnavailableError{Reason: err.Error(), Err: err}
	var (
		answer *ResponseError
		old    *oldError
	)
	switch {
	case errors.As(err, &old):
		u.Reason, u.Hint, u.Denied = path+" is a TPM 1.2: "+err.Error(), oldHint, true
	case errors.As(err, &answer):
		if u.Hint = answer.known().hint; u.Hint == "" {
			return fmt.Errorf("%s: %w", path, err)
		}
		u.Reason = path + ": " + err.Error()
	case errors.Is(err, fs.ErrNotExist):
		u.Hint = "the machine has no TPM 2.0, or no driver for it is loaded (tpm_tis, tpm_crb)"
	case errors.Is(err, fs.ErrPermission):
		u.Hint = "let the daemon read and write the device: root may, and the group tss where udev says so; a systemd unit needs DeviceAllow=char-tpm rw"
	case errors.Is(err, syscall.EBUSY):
		u.Hint = fmt.Sprintf("another program has the TPM for itself: configure its resource manager, such as %s, which serves many", filepath.Join(filepath.Dir(path), "tpmrm0"))
	case gone(err):
		u.Hint = "the TPM was reset, is suspended, or its driver has left it; it is opened again"
	default:
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return err
	}
	return u
}

// gone tells whether an error means that there is no TPM behind the device any more.
func gone(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, syscall.EPIPE, syscall.ENODEV, syscall.ENXIO}, func(target error) bool { return errors.Is(err, target) })
}
