package systemd

import "testing"

// Whichever of the two is started by hand, the other stops.
func TestRivalByHand(t *testing.T) {
	m := newMachine(t)
	m.put(systemUnits+"rngd.service", "[Service]\nExecStart=/bin/sleep infinity\n")
	m.boot()
	m.state("hwrngd.service", "active")
	m.run("systemctl", "start", "rngd")
	m.state("hwrngd.service", "inactive")
	m.run("systemctl", "start", "hwrngd")
	m.state("rngd.service", "inactive")
	m.state("hwrngd.service", "active")
}

// Both are enabled: the machine boots without a cycle, hwrngd runs, and it stays so when others
// start, which draws in all that sysinit.target wants.
func TestRivalEnabled(t *testing.T) {
	for _, test := range []struct{ name, target, unit string }{
		{"rngd.service", "hwrngd-test.target", ""},
		{"haveged.service", "sysinit.target", "[Unit]\nDefaultDependencies=no\nBefore=sysinit.target\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			m.put(systemUnits+test.name, test.unit+"[Service]\nExecStart=/bin/sleep infinity\n")
			m.enable(test.target, test.name)
			m.put(systemUnits+"other.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n")
			m.boot()
			for range 10 {
				ours, theirs := m.property("hwrngd.service", "ActiveState"), m.property(test.name, "ActiveState")
				if ours != "active" || theirs != "inactive" {
					t.Fatalf("hwrngd is %s, %s is %s", ours, test.name, theirs)
				}
				m.run("systemctl", "start", "other")
			}
			for _, line := range m.journal("_PID=1", "PRIORITY=3", "PRIORITY=4") {
				t.Errorf("systemd complains: %s", line)
			}
		})
	}
}
