package e2e

import (
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// --once is for an early boot stage: until the kernel is seeded, and not longer.

func TestOnceOnReadyKernel(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t) // without any source: none is needed
	r := b.exec("run", "--once")
	if r.code != 0 || r.took > time.Second {
		t.Errorf("exit code %d after %s, want 0 at once:\n%s", r.code, r.took, r.stderr)
	}
	t.Logf("REPORT --once on a ready kernel: %s", r.took.Round(time.Millisecond))
}

// The kernel of this machine is seeded for good; a filter on getrandom(2) plays one that is not.
func TestOnceWithoutPrivilege(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.restrict = []string{noAdmin, unready}
	b.feed(good(), pace{})
	b.refused(77, []string{"cannot credit", "CAP_SYS_ADMIN"}, "--once")

	b.restrict = []string{noAdmin}
	if r := b.exec("run", "--once"); r.code != 0 {
		t.Errorf("ready kernel: exit code %d, want 0 since there is nothing to do:\n%s", r.code, r.stderr)
	}
}

// Without a source it waits for one, as long as it takes; the boot stage decides when to give up.
func TestOnceWaitsForSource(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.restrict = []string{unready}
	m := b.serviceManager()
	d := b.start("--once")
	d.reaches("starting")
	// A boot must not wait for a seed that nothing can give: the grace is 3 s.
	m.Wait(t, "READY=1")
	always(t, time.Second, "it waits", d.alive)
	d.stop()
}

func TestOnceAndMonitorContradict(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.refused(2, []string{"contradict"}, "--once", "--monitor")
}
