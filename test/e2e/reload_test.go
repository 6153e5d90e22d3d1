package e2e

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// SIGHUP reads the configuration file again: a good one is applied, a bad one changes nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	m := b.serviceManager()
	b.write(b.config, "refill-interval = \"1h\"\n")
	b.feed(good(), pace{})
	d := b.start()
	before := d.credits(1)
	before.mustBe(t, map[string]float64{
		"hwrngd_config_last_reload_successful": 1, "hwrngd_refill_interval_seconds": 3600,
	})

	// Applied at once: nobody waits for the rest of the hour.
	b.write(b.config, "refill-interval = \"1s\"\n")
	d.signal(syscall.SIGHUP)
	d.logged("INFO", "configuration reloaded", "changed=refill-interval")
	after := d.credits(3)
	after.mustBe(t, map[string]float64{"hwrngd_refill_interval_seconds": 1})
	const timestamp = "hwrngd_config_last_reload_success_timestamp_seconds"
	if after[timestamp] <= before[timestamp] {
		t.Error("the time of the last good reload did not move")
	}
	if after.entered("active") != 1 || after.credited() < before.credited()+2*512 {
		t.Error("counters or tests started anew")
	}
	m.Wait(t, "RELOADING=1")
	m.Wait(t, "MONOTONIC_USEC=")

	// The same file again.
	d.signal(syscall.SIGHUP)
	d.logged("configuration reloaded", "changed=nothing")

	// Mistakes: one line that names all of them, and the old values stay.
	before = d.scrape()
	b.write(b.config, "refill-interval = \"2s\"\nrefill-intervall = \"3s\"\nentropy = { hwrng = 9 }\n")
	d.signal(syscall.SIGHUP)
	kit.Eventually(t, "the reload has failed", func() bool { return d.scrape()["hwrngd_config_last_reload_successful"] == 0 })
	after = d.scrape()
	if after[timestamp] != before[timestamp] || after["hwrngd_refill_interval_seconds"] != 1 {
		t.Error("a refused configuration left a trace")
	}
	lines := d.lines("ERROR")
	if len(lines) != 1 {
		t.Fatalf("want one error line, got %q", lines)
	}
	mustContain(t, lines[0], "the old one stays", b.config+":2:", `did you mean`, b.config+":3:", "out of range")
	kit.Eventually(t, "feeding goes on", func() bool { return d.scrape().credited() > after.credited() })

	// And back.
	b.write(b.config, "refill-interval = \"1s\"\n")
	d.signal(syscall.SIGHUP)
	kit.Eventually(t, "the reload has worked", func() bool { return d.scrape()["hwrngd_config_last_reload_successful"] == 1 })
	kit.Eventually(t, "READY=1 once at the start and once for each reload", func() bool { return len(m.Got("READY=1")) == 5 })
	d.atMost(1, "WARN ERROR")
}

// Options of a source start its tests anew; addresses move; what cannot change says so.
func TestReloadOfSourcesAndAddresses(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	address, holder := freePort(t)
	holder.Close()
	socket := b.metrics[0]
	b.metrics = nil // they are to come from the file
	b.write(b.config, "metrics-listen = [\""+socket+"\"]\n")
	b.feed(good(), pace{})
	d := b.start()
	b.metrics = []string{socket}
	before := d.credits(1)

	second := "unix:" + filepath.Join(b.dir, "second.sock")
	b.write(b.config, "metrics-listen = [\""+second+"\", \""+address+"\"]\nentropy = { hwrng = 0.1 }\n")
	d.signal(syscall.SIGHUP)
	d.logged("configuration reloaded", "entropy", "metrics-listen")
	if _, _, err := kit.HTTPGet(socket, "/metrics"); err == nil {
		t.Error("the old address still answers")
	}
	b.metrics = []string{second}
	var after scrape
	kit.Eventually(t, "the new start-up test has passed", func() bool { after = d.scrape(); return after.entered("active") == 2 })
	if after.credited() < before.credited() || after.of("source_read_bytes_total", "") <= before.of("source_read_bytes_total", "") {
		t.Error("counters were lost")
	}
	if claim := d.source().MinEntropy; claim != 0.1 {
		t.Errorf("claim %v, want 0.1", claim)
	}
	kit.Eventually(t, "the new port answers", func() bool {
		code, _, err := kit.HTTPGet(address, "/-/healthy")
		return err == nil && code == 200
	})
	d.atMost(0, "WARN ERROR")

	b.write(b.config, "metrics-listen = [\""+second+"\"]\nentropy = { hwrng = 0.1 }\nlog-format = \"json\"\n")
	d.signal(syscall.SIGHUP)
	d.logged("WARN", "only after a restart", "log-format")
}

// Signals that come in a heap, and one that comes before the daemon is fully up, lose nothing.
func TestReloadsInARow(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	d := b.start("--refill-interval", "1s")
	d.reaches("active")
	for range 50 {
		d.signal(syscall.SIGHUP)
		time.Sleep(2 * time.Millisecond)
	}
	before := d.scrape().credited()
	kit.Eventually(t, "feeding goes on", func() bool { return d.scrape().credited() > before })
	d.stop()
}

// FC-043 asks that only one stuck reader ever exists. A reload that starts the sources anew must
// not leave another one behind each time: it would also take the device's first bytes.
func TestFC043ReloadsLeaveOneReader(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.silence()
	d := b.start()
	kit.Eventually(t, "a read that waits", func() bool { return d.readers() == 1 })
	for _, claim := range []string{"1", "2", "3"} {
		b.write(b.config, "entropy = { hwrng = "+claim+" }\n")
		d.signal(syscall.SIGHUP)
		kit.Eventually(t, "the new claim", func() bool { return d.source().MinEntropy == float64(claim[0]-'0') })
	}
	always(t, time.Second, "one thread reads the device", func() bool { return d.readers() <= 1 })
}
