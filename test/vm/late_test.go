package vm

import (
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario e: the driver is loaded after the daemon has started. Up to then there is no device node
// (where the class is a module, too), or one without a driver behind it.
func TestDriverLoadedLate(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, late: true, hardware: []egd.Script{{egd.Good("e")}}})
		d := m.start(everySecond)
		d.credits(jitter)
		s := d.source(hardware)
		if s.State != source.Starting.String() || s.Reason == "" {
			t.Errorf("without a driver the source is %s: %s", s.State, s.Reason)
		}
		t.Logf("without a driver: %s", s.Reason)
		m.loadLate()
		begin := time.Now()
		d.reaches(name(0), source.Active)
		d.credits(hardware)
		reportTime(t, k, "credit after the driver is loaded", time.Since(begin), "by this machine's clock")
		// What jitter was asked for before that may still come.
		kit.Eventually(t, "the hardware does without jitter", func() bool {
			before := d.credited(jitter)
			d.credits(hardware)
			d.credits(hardware)
			return d.credited(jitter) == before
		})
	})
}
