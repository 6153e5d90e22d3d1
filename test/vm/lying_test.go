package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario b: of two generators, the one that the kernel reads lies. Nothing of it may be credited,
// the other one is used where the policy allows that, and status says what the kernel itself does.

// liars are ways to lie; the first is enough for each change.
var liars = []egd.Phase{egd.Stuck(0), egd.Stuck(0xFF), egd.Biased(0.40)}

// everySecond makes the daemon want data each second.
const everySecond = "--refill-interval=1s"

func TestQuickLiarKept(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Stuck(0)}, {egd.Good("b")}}})
		d := m.start(everySecond)
		s := d.reaches(name(0), source.Quarantined)
		d.credits(jitter)
		if s = d.source(hardware); s.Driver != name(0) {
			t.Errorf("the policy is to keep %s, but the daemon reads %s", name(0), s.Driver)
		}
		if bits := d.credited(hardware); bits != 0 {
			t.Errorf("%d bits credited for a dead generator", bits)
		}
		// The kernel's own thread tests nothing. That is what status has to say.
		status := m.hwrngd("status")
		for _, part := range []string{"the kernel also reads " + name(0) + " by itself without testing it", "kernel thread  running"} {
			if !strings.Contains(status.Text, part) {
				t.Errorf("status does not say %q:\n%s", part, status.Text)
			}
		}
	})
}

// The other one is asked for by name: the liar is left before its data counts.
func TestQuickLiarLeftByName(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) { leaves(t, k, liars[0], name(1)) })
}

// The best one is asked for, and one that lies is not the best.
func TestLiarLeftForBest(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) { leaves(t, k, liars[0], "best") })
}

// leaves shows that the daemon leaves a liar for a good generator.
func leaves(t *testing.T, k kernel.Spec, liar egd.Phase, policy string) {
	t.Helper()
	m := boot(t, setup{kernel: k, hardware: []egd.Script{{liar}, {egd.Good("b")}}})
	d := m.start(everySecond, "--hwrng-select="+policy, "--sources=hwrng")
	d.reaches(name(1), source.Active)
	d.credits(hardware)
	if current := m.read(classDir + "rng_current"); current != name(1) {
		t.Errorf("rng_current is %s", current)
	}
	reportTime(t, k, "first credit from the other one, policy "+policy+", "+liar.Name, d.status().Credits.FirstCredit, "since the daemon's start")
}

// The generator begins to lie in the middle of a block. What the kernel gets must come from what
// was good: each credit takes a whole block of its own.
func TestQuickLiarTurns(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) {
		for i, liar := range liars {
			if i > 0 && !all() {
				continue
			}
			t.Run(liar.Name, func(t *testing.T) {
				const goodBlocks = 5
				const goodBytes = goodBlocks*fips.BlockBytes + fips.BlockBytes/2
				script := egd.Script{egd.Good("b").Until(goodBytes), liar}
				m := boot(t, setup{kernel: k, hardware: []egd.Script{script}})
				d := m.start(everySecond)
				d.reaches(name(0), source.Active)
				d.credits(hardware)
				d.reaches(name(0), source.Quarantined)
				d.credits(jitter)
				time.Sleep(3 * time.Second) // it is not trusted again
				s := d.status()
				credits := s.Credits.Bytes[hardware] / pool.SeedBytes
				if credits == 0 || credits > goodBlocks {
					t.Errorf("%d credits of %d good blocks", credits, goodBlocks)
				}
				if state := d.source(hardware).State; state != source.Quarantined.String() {
					t.Errorf("the liar is %s", state)
				}
				report(t, k, fmt.Sprintf("%s after %d good blocks", liar.Name, goodBlocks), float64(credits), "seeds", "as many at most")
			})
		}
	})
}
