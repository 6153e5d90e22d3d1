package openwrt

import (
	"os"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// runDefaults does as the first boot or an installation does: read by a shell; a success removes it.
func (r *router) runDefaults() string {
	r.t.Helper()
	return r.run("/bin/sh", "-c", ". /lib/functions.sh; ( cd /etc/uci-defaults && . ./50-hwrngd )")
}

// What rngd's section becomes. Its package never set /etc/config/hwrngd, so the rest stays as installed.
func TestMigration(t *testing.T) {
	packaged := kit.ReadFile(t, files+"hwrngd.config")
	const other = "\nconfig system\n\toption hostname 'OpenWrt'\n"
	for _, test := range []struct {
		name, rngd string // options of the section
		device     string // in /etc/config/hwrngd afterwards
		said       string // about it, in part
	}{
		{"as installed", "\toption device '/dev/urandom'\n\toption enabled '0'\n\toption precmd ''\n\toption fill_watermark 2048\n", "", "'/dev/urandom' is not taken over: it is the kernel's own output"},
		{"nothing set", "", "", ""},
		{"generator", "\toption device '/dev/hwrng'\n\toption enabled '1'\n", "", ""},
		{"serial", "\toption device '/dev/ttyUSB0'\n\toption enabled '1'\n", "/dev/ttyUSB0", "'/dev/ttyUSB0' is taken over"},
		{"random", "\toption device '/dev/random'\n", "", "'/dev/random' is not taken over"},
		{"no path", "\toption device 'hwrng'\n", "", "'hwrng' is not taken over: it is no path"},
		{"precmd", "\toption device '/dev/ttyUSB0'\n\toption precmd 'stty raw -F /dev/ttyUSB0'\n", "/dev/ttyUSB0", "precmd 'stty raw -F /dev/ttyUSB0' is not taken over"},
		{"watermark", "\toption fill_watermark '4000'\n", "", "fill_watermark '4000' has no meaning any more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			r.config("hwrngd", packaged)
			r.config("system", other+"\nconfig rngd\n"+test.rngd)
			out := r.runDefaults()
			if !strings.Contains(out+"\n", test.said) || test.said == "" && out != "" {
				t.Errorf("it says %q", out)
			}
			if system := r.read("/etc/config/system"); system != other {
				t.Errorf("/etc/config/system is now %q", system)
			}
			r.started()
			got, _ := r.effective()["hwrng-device"].(string)
			if got != test.device || r.log() != "" {
				t.Errorf("device is %q, want %q; log %q", got, test.device, r.log())
			}
			// Once more, as with an upgrade of the package: nothing is left to do.
			if again := r.runDefaults(); again != "" {
				t.Errorf("the second time it says %q", again)
			}
		})
	}
}

func TestMigrationKeepsChoices(t *testing.T) {
	r := newRouter(t)
	r.config("hwrngd", "\nconfig hwrngd 'main'\n\toption hwrng_device '/dev/ttyACM7'\n")
	r.config("system", "\nconfig rngd\n\toption device '/dev/ttyUSB0'\n")
	r.runDefaults()
	if conf := r.read("/etc/config/hwrngd"); !strings.Contains(conf, "ttyACM7") {
		t.Errorf("the choice is gone:\n%s", conf)
	}

	// An rngd that is still there keeps its section.
	r = newRouter(t)
	r.config("hwrngd", "\nconfig hwrngd 'main'\n")
	r.config("system", "\nconfig rngd\n\toption device '/dev/ttyUSB0'\n")
	kit.WriteFile(t, r.root+"/etc/init.d/rngd", "", 0o755)
	if out := r.runDefaults(); out != "" || !strings.Contains(r.read("/etc/config/system"), "rngd") {
		t.Errorf("it says %q", out)
	}
}

// With the exporter's collector there, the metrics go where it reads them; else nothing changes.
func TestTextfileByDefault(t *testing.T) {
	r := newRouter(t)
	r.ujail()
	r.config("hwrngd", kit.ReadFile(t, files+"hwrngd.config"))
	r.runDefaults()
	if r.read("/etc/config/hwrngd") != kit.ReadFile(t, files+"hwrngd.config") {
		t.Error("changed without need")
	}
	kit.WriteFile(t, r.root+"/usr/lib/lua/prometheus-collectors/textfile.lua", "", 0o644)
	kit.WriteFile(t, r.root+"/tmp/running", "", 0o644)
	r.forget()
	r.runDefaults()
	if all := r.messages(); len(all) != 1 || all[0].method != "set" {
		t.Errorf("a running daemon is not told: %v", all)
	}
	if got := r.effective()["metrics-textfile"]; got != "/var/prometheus/hwrngd.prom" {
		t.Errorf("metrics-textfile is %v", got)
	}
	if info, err := os.Stat(r.root + "/tmp/prometheus"); err != nil || !info.IsDir() {
		t.Errorf("no directory for it: %v", err)
	}
	r.config("hwrngd", "\nconfig hwrngd 'main'\n\toption metrics_textfile 'off'\n")
	r.runDefaults()
	if conf := r.read("/etc/config/hwrngd"); !strings.Contains(conf, "'off'") {
		t.Errorf("switched on against the user's will:\n%s", conf)
	}
}
