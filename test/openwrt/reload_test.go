package openwrt

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// A reload is a start. procd compares the instance with the running one, the digest of the file
// included; so what must change is the file, and it must not change by itself.
func TestReload(t *testing.T) {
	r := newRouter(t)
	r.ujail()
	r.logd()
	r.config("hwrngd", "config hwrngd 'main'\n\toption refill_interval '30s'\n")
	first := r.started()
	conf := r.read("/var/etc/hwrngd/hwrngd.toml")
	r.forget()
	r.service("reload")
	if again := r.messages(); len(again) != 1 || again[0].json() != first.json() {
		t.Errorf("a reload without a change tells procd %v", again)
	}
	if again := r.read("/var/etc/hwrngd/hwrngd.toml"); again != conf {
		t.Errorf("the configuration changed by itself:\n%s", again)
	}

	// A mistake: the daemon keeps running, with the default of that option.
	r.config("hwrngd", "config hwrngd 'main'\n\toption refill_interval 'soon'\n\toption log_level 'debug'\n")
	r.forget()
	r.service("reload")
	after := r.messages()
	if len(after) != 1 || after[0].json() != first.json() {
		t.Errorf("after a mistake procd is told %v", after)
	}
	if got := r.effective(); len(got) != 1 || got["log-level"] != "debug" {
		t.Errorf("after a mistake the options are %v", got)
	}
	if log := r.log(); !strings.HasPrefix(log, "daemon.err hwrngd option refill_interval is ignored") {
		t.Errorf("the log is %q", log)
	}

	// Put right: nothing is left of it.
	r.config("hwrngd", "config hwrngd 'main'\n")
	r.forget()
	r.service("reload")
	if log := r.log() + r.read("/var/run/hwrngd/refused"); log != "" || len(r.effective()) != 0 {
		t.Errorf("left of the mistake: %q, %v", log, r.effective())
	}

	r.config("hwrngd", "config hwrngd 'main'\n\toption enabled '0'\n")
	r.forget()
	r.service("reload")
	if off := r.messages(); len(off) != 1 || off[0].instance() != nil {
		t.Errorf("switched off, procd is told %v", off)
	}
}

// An upgrade changes neither the command nor the configuration, yet procd has to see a difference.
func TestUpgrade(t *testing.T) {
	r := newRouter(t)
	before := r.started()
	if err := os.Remove(r.root + "/usr/sbin/hwrngd"); err != nil {
		t.Fatal(err)
	}
	kit.WriteFile(t, r.root+"/usr/sbin/hwrngd", "#!/bin/sh\n[ \"$1\" != --version ] || echo 9.9.9\n", 0o755)
	if after := r.started(); after.json() == before.json() {
		t.Errorf("the old program would go on running: %s", after.json())
	}
}

// What the jail shows follows the options; only what must be written can be.
func TestJailMounts(t *testing.T) {
	for _, test := range []struct {
		name, options string
		want          []string // 1 stands for writable
	}{
		{"defaults", "", []string{"/dev/hwrng"}},
		{"device", "\toption hwrng_device '/dev/ttyACM0'\n", []string{"/dev/ttyACM0"}},
		{"refused device", "\toption hwrng_device '/dev/urandom'\n", []string{"/dev/hwrng"}},
		{"textfile", "\toption metrics_textfile '/var/prometheus/x.prom'\n", []string{"/dev/hwrng", "1/var/prometheus"}},
		{"textfile in the root", "\toption metrics_textfile '/x.prom'\n", []string{"/dev/hwrng"}},
		{"select best", "\toption hwrng_select 'best'\n", []string{"/dev/hwrng", "1/sys/devices/virtual/misc"}},
		{"select keep", "\toption hwrng_select 'keep'\n", []string{"/dev/hwrng"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			r.ujail()
			r.config("hwrngd", "config hwrngd 'main'\n"+test.options)
			want := append([]string{"/var/etc/hwrngd", "1/var/run/hwrngd"}, test.want...)
			slices.Sort(want)
			if got := r.started().mounts(); !slices.Equal(got, want) {
				t.Errorf("mounts %q, want %q", got, want)
			}
		})
	}
}

// A program that does not run here, or refuses everything, is no reason to lose the options.
func TestProgramThatDoesNotRun(t *testing.T) {
	for _, test := range []struct{ name, script, log string }{
		{"not for this machine", "\x7fELF not", ""},
		{"crashes", "#!/bin/sh\necho 'hwrngd: broken' >&2\nexit 2\n", "<27>hwrngd: '/usr/sbin/hwrngd check' refuses even an empty configuration: broken\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			if err := os.Remove(r.root + "/usr/sbin/hwrngd"); err != nil {
				t.Fatal(err)
			}
			kit.WriteFile(t, r.root+"/usr/sbin/hwrngd", test.script, 0o755)
			r.config("hwrngd", "config hwrngd 'main'\n\toption log_level 'debug'\n")
			m := r.started()
			if m.instance() == nil || !strings.Contains(r.read("/var/etc/hwrngd/hwrngd.toml"), `log-level = "debug"`) || r.log() != test.log {
				t.Errorf("procd gets %s, the log is %q", m.json(), r.log())
			}
		})
	}
}
