package linux

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Sysfs is a mounted sysfs, such as Sysfs("/sys").
type Sysfs string

const hwRandomClass = "class/misc/hw_random"

// noRNG is what the hw_random core writes where there is no generator. Newer kernels also list
// it among the available ones.
const noRNG = "none"

// RNGCurrent returns the name of the generator behind /dev/hwrng, "" if there is none
// (hw_random/rng_current).
func (s Sysfs) RNGCurrent() (string, error) {
	name, err := readAttribute(string(s), hwRandomClass, "rng_current")
	if name == noRNG {
		name = ""
	}
	return name, err
}

// RNGAvailable lists the registered generators (hw_random/rng_available).
func (s Sysfs) RNGAvailable() ([]string, error) {
	text, err := readAttribute(string(s), hwRandomClass, "rng_available")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(words(text), func(name string) bool { return name == noRNG }), nil
}

// RNGSelected tells whether somebody chose the current generator by name, so that the kernel
// does not switch to a better one by itself (hw_random/rng_selected).
func (s Sysfs) RNGSelected() (bool, error) {
	n, err := readInt(string(s), hwRandomClass, "rng_selected")
	return n != 0, err
}

// UnstatedQuality is the rng_quality that kernels since 6.2 show for a driver which states none.
const UnstatedQuality = 1024

// RNGQuality returns what the kernel's own thread credits for the current generator, in 1/1024 bit
// of entropy per bit (hw_random/rng_quality), whether the kernel shows that, which it does since
// 5.18, and whether it can be the word of the generator's driver. Only a number from 1 to 1023 can:
// what a driver that states nothing gets is 1024 since 6.2, and 0 before.
func (s Sysfs) RNGQuality() (quality int, shown, stated bool) {
	n, err := readInt(string(s), hwRandomClass, "rng_quality")
	if err != nil || n < 0 || n > UnstatedQuality {
		return 0, false, false
	}
	return n, true, n > 0 && n < UnstatedQuality
}

// SelectRNG makes name the current generator; "" lets the kernel choose the best. Most kernels
// accept unknown names without doing anything, so the caller must read RNGCurrent afterwards.
func (s Sysfs) SelectRNG(name string) error {
	return writeAttribute(name+"\n", string(s), hwRandomClass, "rng_current")
}

// BoundDriver returns the driver that the device called name is bound to, on whatever bus it is, or
// "". Many hw_random drivers register under their device's name.
func (s Sysfs) BoundDriver(device string) string {
	if s == "" || device != filepath.Base(device) {
		return ""
	}
	links, err := filepath.Glob(filepath.Join(string(s), "bus", "*", "devices", escapeGlob(device), "driver"))
	if err != nil || len(links) == 0 {
		return ""
	}
	target, err := os.Readlink(links[0])
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}

// escapeGlob makes a name match itself alone.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// CanSelectRNG tells whether SelectRNG would be allowed to write, without writing.
func (s Sysfs) CanSelectRNG() error {
	path, err := attributePath(string(s), []string{hwRandomClass, "rng_current"})
	if err != nil {
		return err
	}
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// HWRandomDevice returns the device number of the hw_random character device, as the class
// directory states it. ok is false where it states none.
func (s Sysfs) HWRandomDevice() (major, minor uint32, ok bool) {
	text, err := readAttribute(string(s), hwRandomClass, "dev")
	if err != nil {
		return 0, 0, false
	}
	maj, min, found := strings.Cut(text, ":")
	if !found {
		return 0, 0, false
	}
	a, errA := strconv.ParseUint(maj, 10, 32)
	b, errB := strconv.ParseUint(min, 10, 32)
	return uint32(a), uint32(b), errA == nil && errB == nil
}

// DescribeHWRandom renders what the class says of its generators, for error messages.
func (s Sysfs) DescribeHWRandom() string {
	current, err := s.RNGCurrent()
	if err != nil {
		return err.Error()
	}
	available, err := s.RNGAvailable()
	if err != nil {
		return err.Error()
	}
	if current == "" {
		current = noRNG
	}
	list := strings.Join(available, " ")
	if list == "" {
		list = "empty"
	}
	return fmt.Sprintf("rng_current is %s, rng_available is %s", current, list)
}
