package systemd

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// The usual life of the unit: enabled, booted, ready early, feeding, serving, stopping.
func TestBoot(t *testing.T) {
	m := newMachine(t)
	m.device()
	m.boot()

	t.Run("ready before sysinit.target", func(t *testing.T) {
		if state := m.property("hwrngd.service", "ActiveState"); state != "active" {
			t.Fatalf("hwrngd.service is %s", state)
		}
		ready, sysinit := m.moment("hwrngd.service", "ActiveEnterTimestamp"), m.moment("sysinit.target", "ActiveEnterTimestamp")
		begun := m.moment("hwrngd.service", "InactiveExitTimestamp")
		if ready > sysinit {
			t.Errorf("ready %s after sysinit.target", ready-sysinit)
		}
		t.Logf("REPORT from the start of systemd to that of the unit: %s", begun-userspace(m))
		t.Logf("REPORT from the start of the unit to READY: %s", ready-begun)
		t.Logf("REPORT critical chain:\n%s", m.run("systemd-analyze", "--no-pager", "critical-chain", "hwrngd.service"))
	})
	t.Run("feeds", func(t *testing.T) {
		m.logged("first credit", "source=hwrng")
		if found := m.journal("HWRNGD_SOURCE=hwrng", "PRIORITY=6"); len(found) == 0 {
			t.Error("the journal finds nothing by HWRNGD_SOURCE=hwrng")
		}
		if text := m.property("hwrngd.service", "StatusText"); !strings.Contains(text, "hwrng") {
			t.Errorf("StatusText is %q", text)
		}
	})
	t.Run("metrics", func(t *testing.T) {
		kit.Eventually(t, "credited bits at the port", func() bool {
			return m.sample(`hwrngd_entropy_credited_bits_total{source="hwrng"}`) > 0
		})
		t.Logf("REPORT from the start of the daemon to the first credit: %v s", m.sample("hwrngd_first_credit_seconds"))
	})
	t.Run("no complaint in the journal", func(t *testing.T) {
		for _, line := range m.journal("PRIORITY=0", "PRIORITY=1", "PRIORITY=2", "PRIORITY=3", "PRIORITY=4") {
			if strings.Contains(line, "hwrngd") || strings.Contains(line, "ycle") {
				t.Errorf("%s", line)
			}
		}
	})
	t.Run("stops within a second", func(t *testing.T) {
		m.run("systemctl", "stop", "hwrngd")
		took := m.moment("hwrngd.service", "InactiveEnterTimestamp") - m.moment("hwrngd.service", "ActiveExitTimestamp")
		t.Logf("REPORT from the end of active to the end: %s", took)
		if took >= time.Second {
			t.Errorf("stopping took %s", took)
		}
		if result := m.property("hwrngd.service", "Result"); result != "success" {
			t.Errorf("the result is %s", result)
		}
	})
}

// userspace is when the machine's systemd began.
func userspace(m *machine) time.Duration {
	n, err := strconv.ParseInt(m.run("systemctl", "show", "--value", "-p", "UserspaceTimestampMonotonic"), 10, 64)
	if err != nil {
		m.t.Fatal(err)
	}
	return time.Duration(n) * time.Microsecond
}
