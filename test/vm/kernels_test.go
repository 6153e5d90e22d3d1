package vm

import (
	"errors"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// driver is the module of the generators. Cases load it last.
const driver = "virtio_rng"

// The kernels on x86. All have the random number generator of Linux 5.18: Debian's 5.10 has it
// backported. They differ in what they make of hardware: up to 6.1 its driver has to claim quality,
// since 6.2 the kernel trusts every one.
var (
	linux61 = kernel.Spec{
		Version: "6.1", Arch: "amd64", Suites: []string{"bookworm", "bookworm-security"},
		Package: regexp.MustCompile(`^linux-image-6\.1\.[0-9.-]+-cloud-amd64$`), Modules: []string{"virtio_pci", driver},
	}
	linux510 = kernel.Spec{
		Version: "5.10", Arch: "amd64", Suites: []string{"bullseye"},
		Package: regexp.MustCompile(`^linux-image-5\.10\.[0-9.-]+-cloud-amd64$`), Modules: []string{"virtio_pci", driver},
	}
	linux612 = kernel.Spec{
		Version: "6.12", Arch: "amd64", Suites: []string{"bookworm-backports"},
		Package: regexp.MustCompile(`^linux-image-6\.12\.[^ ]+-cloud-amd64$`), Modules: []string{"virtio_pci", driver},
	}
)

// onKernels runs a scenario that each change needs: on Linux 6.1, and on the other kernels if all
// is to be run.
func onKernels(t *testing.T, scenario func(t *testing.T, k kernel.Spec)) {
	t.Helper()
	wanted := []kernel.Spec{linux61}
	if all() {
		wanted = append(wanted, linux510, linux612)
	}
	for _, k := range wanted {
		t.Run(k.Version, func(t *testing.T) {
			defer reportVerdict(t, k, time.Now())
			scenario(t, k)
		})
	}
}

// onAllKernels runs a scenario that make check-all needs.
func onAllKernels(t *testing.T, scenario func(t *testing.T, k kernel.Spec)) {
	t.Helper()
	if !all() {
		t.Skip("SKIPPED, NOT TESTED: needs HWRNGD_VM=all")
	}
	onKernels(t, scenario)
}

var kernels sync.Map // of what was got, or why not, by name

// needKernel returns a kernel, or skips the case if there is none. Mirrors do not keep old kernels
// for ever, so that only Linux 6.1 can be required.
func needKernel(t *testing.T, s kernel.Spec) *kernel.Files {
	t.Helper()
	get, _ := kernels.LoadOrStore(s.String(), sync.OnceValues(func() (*kernel.Files, error) { return kernel.Get(cacheDir(t), s) }))
	f, err := get.(func() (*kernel.Files, error))()
	if errors.Is(err, kernel.ErrNotThere) {
		if s.Version != linux61.Version {
			t.Skipf("SKIPPED, NOT TESTED: %v", err)
		}
		kit.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}
