package e2e

import (
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// The sandbox: no thread of a daemon that feeds has more power than it needs, unless the operator says so.
func TestSandbox(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	const (
		none = "0000000000000000"
		// CAP_DAC_OVERRIDE, KILL, SETGID, SETUID, NET_BIND_SERVICE and SYS_ADMIN: bits 1, 5, 6, 7, 10, 21.
		few = "00000000002004e2"
	)
	for _, c := range []struct {
		name string
		args []string
		on   bool
	}{
		{"by default", nil, true},
		{"not wanted", []string{"--sandbox=false"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.feed(good(), pace{})
			d := b.start(c.args...)
			d.logged("first credit")
			for _, task := range d.tasks() {
				on := d.taskField(task, "NoNewPrivs") == "1" && d.taskField(task, "CapInh") == none
				for _, set := range []string{"CapPrm", "CapEff", "CapBnd"} {
					on = on && d.taskField(task, set) == few
				}
				if on != c.on && d.taskField(task, "State") != "" { // it may have ended
					t.Errorf("thread %s: no_new_privs %s, capabilities %s", task, d.taskField(task, "NoNewPrivs"), d.taskField(task, "CapEff"))
				}
			}
			d.stop()
		})
	}
}
