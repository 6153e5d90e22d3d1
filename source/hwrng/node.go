package hwrng

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// RefusedError reports a file that must never be a source.
type RefusedError struct {
	Path string
	Why  string
	Hint string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s cannot be a source: %s", e.Path, e.Why)
}

// Vet decides whether a file of that sort may be a source at all. Errors are of type
// [*RefusedError]. Regular files are for tests and need allowFile.
func Vet(path string, node linux.Node, allowFile bool) error {
	if own := node.KernelGenerator(); own != "" {
		return &RefusedError{
			Path: path,
			Why:  fmt.Sprintf("it is the kernel's own %s (%s), and feeding the kernel with its own output adds nothing", own, node),
			Hint: "old guides recommend this to silence a failed rngd; remove the setting, hwrngd stays up without a hardware generator",
		}
	}
	switch node.Type {
	case linux.CharDevice, linux.FIFO:
		return nil
	case linux.RegularFile:
		if allowFile {
			return nil
		}
		return &RefusedError{
			Path: path, Why: "it is a regular file, which holds the same bytes for every reader",
			Hint: "to test recorded data give it to an audit tool; a source is a character device or a FIFO",
		}
	}
	return &RefusedError{Path: path, Why: "it is a " + node.String(), Hint: "a source is a character device or a FIFO"}
}

// aliases are the names that the hw_random node had over the years, beside each other in one
// directory. They are tried, in this order, where the configured node "hwrng" does not exist.
var aliases = []string{"hwrng", "hw_random", "hwrandom", "misc/hw_random"}

// Locate returns the path and sort of the device node to use for the configured path.
// Errors are an [*source.UnavailableError] while there is none, or a [*RefusedError].
func Locate(path string, allowFile bool) (string, linux.Node, error) {
	candidates := []string{path}
	if dir, base := filepath.Split(path); base == aliases[0] {
		for _, alias := range aliases[1:] {
			candidates = append(candidates, filepath.Join(dir, alias))
		}
	}
	var first error
	for _, candidate := range candidates {
		node, err := linux.StatNode(candidate)
		if err == nil {
			return candidate, node, Vet(candidate, node, allowFile)
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	unavailable := &source.UnavailableError{Reason: first.Error(), Err: first}
	if errors.Is(first, os.ErrNotExist) {
		unavailable.Hint = "no driver for a hardware generator is loaded, or the machine has none"
	}
	return path, linux.Node{}, unavailable
}

// described tells whether the hw_random class of sys is about this node: about the hw_random
// device itself, or about any device if the class does not give its number, as in a test tree.
func described(node linux.Node, sys linux.Sysfs) bool {
	major, minor, ok := sys.HWRandomDevice()
	return !ok || node.Type == linux.CharDevice && node.Major == major && node.Minor == minor
}
