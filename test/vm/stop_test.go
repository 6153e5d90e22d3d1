package vm

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario f: SIGTERM while the device hangs. A read of a virtio generator ends with data or with
// its reader, no other signal frees it.
func TestQuickStop(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Silent()}}})

		d := m.start()
		kit.Eventually(t, "a read that hangs", d.readHangs)
		reportTime(t, k, "SIGTERM to exit, silent from the start", d.stop(), "limit 1 s")

		m.hardware[0].Become(egd.Good("stop").Until(3*fips.BlockBytes), egd.Silent())
		d = m.start(everySecond)
		d.reaches(name(0), source.Active)
		kit.Eventually(t, "a read that hangs", func() bool { return m.hardware[0].Waiting() && d.readHangs() })
		reportTime(t, k, "SIGTERM to exit, silent in the middle of a block", d.stop(), "limit 1 s")

		m.hardware[0].Become(egd.Good("stop again"))
		d = m.start(everySecond)
		d.credits(hardware)
		reportTime(t, k, "SIGTERM to exit, healthy", d.stop(), "limit 1 s")
	})
}

// readHangs tells whether a thread of the daemon is inside read(2). Nothing but the device holds
// it there: the others wait in futex and epoll.
func (d *daemon) readHangs() bool {
	d.t.Helper()
	calls := d.m.read(fmt.Sprintf("/proc/%d/task/*/syscall", d.status().PID))
	return slices.ContainsFunc(strings.Split(calls, "\n"), func(call string) bool {
		return strings.HasPrefix(call, fmt.Sprint(syscall.SYS_READ, " "))
	})
}
