package openwrt

import (
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// A generator that appears makes a running daemon start again, since a jail does not show it; nothing
// else does.
func TestHotplug(t *testing.T) {
	for _, test := range []struct {
		name, env, options string
		running, restarts  bool
	}{
		{"generator appears", "ACTION=add DEVNAME=hwrng SUBSYSTEM=misc", "", true, true},
		{"before the daemon runs", "ACTION=add DEVNAME=hwrng SUBSYSTEM=misc", "", false, false},
		{"generator goes", "ACTION=remove DEVNAME=hwrng SUBSYSTEM=misc", "", true, false},
		{"another device", "ACTION=add DEVNAME=rfkill SUBSYSTEM=misc", "", true, false},
		{"serial generator appears", "ACTION=add DEVNAME=ttyACM0 SUBSYSTEM=tty", "\toption tty_device '/dev/ttyACM0'\n", true, true},
		{"another serial line", "ACTION=add DEVNAME=ttyACM1 SUBSYSTEM=tty", "\toption tty_device '/dev/ttyACM0'\n", true, false},
		{"a generator that is not used", "ACTION=add DEVNAME=hwrng SUBSYSTEM=misc", "\toption hwrng_device '/dev/ttyACM0'\n", true, false},
		{"nothing said", "", "", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			r.ujail()
			r.logd()
			r.config("hwrngd", "config hwrngd 'main'\n"+test.options)
			if test.running {
				kit.WriteFile(t, r.root+"/tmp/running", "", 0o644)
			}
			// As hotplug-call does: read by a shell that has the functions.
			r.run("/bin/sh", "-c", ". /lib/functions.sh; export "+test.env+"; (. /etc/hotplug.d/misc/50-hwrngd); wait")
			var methods []string
			kit.Eventually(t, "the restart in the background", func() bool {
				methods = nil
				for _, m := range r.messages() {
					methods = append(methods, m.method)
				}
				return !test.restarts || len(methods) == 2
			})
			want := []string{"delete", "set"}
			if !test.restarts {
				want = nil
			}
			if !slices.Equal(methods, want) || (r.log() != "") != test.restarts {
				t.Errorf("procd got %q, the log is %q", methods, r.log())
			}
		})
	}
}
