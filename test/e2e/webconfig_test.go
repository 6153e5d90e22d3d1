package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Bad web configurations end the daemon at the start and change nothing later.
func TestWebConfig(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	address, holder := freePort(t)
	holder.Close()
	b.metrics = []string{address}
	b.feed(good(), pace{})
	path := filepath.Join(b.dir, "web.yml")

	b.refused(2, []string{path, "no such file", "hint: ", "exporter-toolkit"}, "--web-config", path)
	b.write(path, "tls_server_config:\n  cert_file: gone.crt\n  key_file: gone.key\n")
	if r := b.exec("check", "--web-config", path); r.code != 2 || !strings.Contains(r.stdout, "gone.crt: no such file") {
		t.Errorf("check: code %d, %s", r.code, r.stdout)
	}

	// The bcrypt hash of a password that nobody here needs to know.
	b.write(path, "basic_auth_users:\n  prometheus: $2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi\n")
	b.write(b.config, "web-config = \""+path+"\"\n")
	d := b.start("--refill-interval", "1s")
	if code, body := d.page("/metrics"); code != 401 {
		t.Errorf("without a password: %d %s", code, body)
	}
	b.write(b.config, "web-config = \"/gone.yml\"\n")
	d.signal(syscall.SIGHUP)
	d.logged("ERROR", "the old one stays", "/gone.yml")
	if code, _ := d.page("/metrics"); code != 401 {
		t.Errorf("after a refused reload: %d", code)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if code, _ := d.page("/metrics"); code != 500 {
		t.Errorf("with the file gone: %d", code)
	}
	b.write(b.config, "")
	d.signal(syscall.SIGHUP)
	d.logged("configuration reloaded", "web-config")
	s := d.credits(2)
	if s["hwrngd_ready"] != 1 {
		t.Error("feeding has not gone on")
	}
}

// On a kernel that is not seeded nothing listens that may use TLS, and the feeding does not wait.
func TestWebConfigWaitsForTheSeed(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.restrict = []string{unready}
	b.feed(good(), pace{})
	path := filepath.Join(b.dir, "web.yml")
	b.write(path, "http_server_config:\n  http2: false\n")
	d := b.start("--web-config", path)
	d.logged("metrics listener not up yet", "TLS needs")
	d.logged("first credit")
	if _, _, err := kit.HTTPGet(b.metrics[0], "/metrics"); err == nil {
		t.Error("it listens")
	}
	d.stopsInTime()
}
