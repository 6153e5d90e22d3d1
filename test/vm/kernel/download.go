package kernel

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/test/vm/debian"
)

// download fetches the package's newest version and unpacks it below dir, which exists. It returns
// the package's name and the root of what it holds.
func download(dir string, s Spec) (name, root string, err error) {
	a, err := debian.NewApt(dir, s.Arch, s.Suites)
	if err != nil {
		return "", "", err
	}
	names, err := a.Names("linux-image-")
	names = slices.DeleteFunc(names, func(n string) bool { return !s.Package.MatchString(n) })
	if len(names) == 0 {
		return "", "", errors.Join(fmt.Errorf("no package %s in %s", s.Package, strings.Join(s.Suites, ", ")), err)
	}
	name = slices.MaxFunc(names, compareVersions)
	root = filepath.Join(dir, "root")
	return name, root, a.Unpack(name, root)
}

// compareVersions orders names of packages that differ in numbers, as people would.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		numA, restA := leadingDigits(a)
		numB, restB := leadingDigits(b)
		switch {
		case numA != "" && numB != "":
			if len(numA) != len(numB) {
				return len(numA) - len(numB)
			}
			if c := strings.Compare(numA, numB); c != 0 {
				return c
			}
			a, b = restA, restB
		case a[0] != b[0]:
			return int(a[0]) - int(b[0])
		default:
			a, b = a[1:], b[1:]
		}
	}
	return len(a) - len(b)
}

// leadingDigits splits a number off, without its leading zeros.
func leadingDigits(s string) (digits, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	digits = s[:len(s)-len(rest)]
	if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" || digits == "" {
		return trimmed, rest
	}
	return "0", rest
}
