package openwrt

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// procd starts what procd would: the command of the one instance. It ends with the case.
func (r *router) procd(m message) {
	r.t.Helper()
	args := m.instance()["command"].([]string)
	cmd := r.command(args...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		err := cmd.Wait()
		if err != nil || r.t.Failed() {
			r.t.Errorf("hwrngd: %v\n%s", err, said.String())
		}
	})
}

// generator makes a FIFO that delivers good data for as long as the case runs.
func (r *router) generator(name string) {
	r.t.Helper()
	path := r.root + name
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.t.Fatal(err)
	}
	fifo, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	random, err := os.Open("/dev/urandom")
	if err != nil {
		r.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(fifo, random)
	}()
	r.t.Cleanup(func() {
		fifo.Close()
		<-done
		random.Close()
	})
}

// The daemon runs with the command and the configuration that procd gets, writes its metrics, answers
// to the command line, and the router's owner is told how things are.
func TestDaemon(t *testing.T) {
	r := newRouter(t)
	r.generator("/dev/trng")
	r.config("hwrngd", `
config hwrngd 'main'
	option hwrng_device '/dev/trng'
	list metrics_listen 'off'
	option metrics_textfile '/var/prometheus/hwrngd.prom'
`)
	m := r.started()
	if out, code := r.try("/etc/init.d/hwrngd", "selftest"); code != 1 || !strings.Contains(out, "NOT IN ORDER: ") || !strings.Contains(out, "is not running") {
		t.Errorf("selftest before the start: exit code %d\n%s", code, out)
	}
	r.procd(m)
	kit.Eventually(t, "metrics of passed blocks", func() bool {
		for line := range strings.Lines(r.read("/var/prometheus/hwrngd.prom")) {
			if value, ok := strings.CutPrefix(line, `hwrngd_fips_blocks_total{result="pass",source="hwrng"} `); ok && value != "0\n" {
				return true
			}
		}
		return false
	})
	// Without --runtime-dir: the link in /etc leads to the configuration.
	if out := r.run("/usr/sbin/hwrngd", "status"); !strings.HasPrefix(out, "all is well") {
		t.Errorf("status: %s", out)
	}
	out := r.service("selftest")
	if last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]; !strings.HasPrefix(last, "OK: all is well: ") {
		t.Errorf("selftest: %s", out)
	}
	t.Logf("REPORT selftest:\n%s", out)
	if strings.Contains(out, "already runs") {
		t.Error("selftest complains of the daemon itself")
	}

	// A mistake in the configuration is no longer only a line in a log that nobody reads.
	r.config("hwrngd", "config hwrngd 'main'\n\toption log_level 'loud'\n")
	r.service("reload")
	if out, code := r.try("/etc/init.d/hwrngd", "selftest"); code != 1 || !strings.Contains(out, "option log_level is ignored") {
		t.Errorf("selftest after a mistake: exit code %d\n%s", code, out)
	}
}

func TestHelp(t *testing.T) {
	r := newRouter(t)
	if out := r.service("help"); !strings.Contains(out, "selftest") {
		t.Errorf("%s", out)
	}
}
