package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K1: there is no source, not yet, or not always.

func TestFC001NoSourceStaysUp(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.start()
	s := d.reaches("starting")
	mustContain(t, s.Reason, b.device, "no such file")
	always(t, 6*time.Second, "the daemon runs", d.alive)

	if lines := d.lines("WARN ERROR"); len(lines) != 1 || !strings.Contains(lines[0], b.device) {
		t.Errorf("want one warning that names the device, got %q", lines)
	}
	d.scrape().mustBe(t, map[string]float64{
		`hwrngd_ready`: 0,
		`hwrngd_source_state{source="hwrng",state="starting"}`: 1,
		`hwrngd_source_state{source="hwrng",state="active"}`:   0,
		`hwrngd_entropy_credited_bits_total{source="hwrng"}`:   0,
	})
	if code, body := d.page("/-/ready"); code != 503 || !strings.Contains(body, b.device) {
		t.Errorf("/-/ready: %d %s", code, body)
	}
	if code, _ := d.page("/-/healthy"); code != 200 {
		t.Errorf("/-/healthy: %d, want 200: a missing source is no fault of the daemon", code)
	}
}

// The other half of FC-001: who wants a failed unit asks for it, and gets a code of its own.
func TestFC001RequireSource(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.start("--require-source")
	if code := d.wait(kit.Patience); code != 69 {
		t.Errorf("exit code %d, want 69", code)
	}
	if lines := d.lines("ERROR", "required"); len(lines) != 1 {
		t.Errorf("want one error line, got %q", lines)
	}
}

// As FC-001, seen by a service manager: active (running), never a failed unit.
func TestFC063ReadyWithoutSource(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	m := b.serviceManager()
	d := b.start()
	m.Wait(t, "READY=1")
	mustContain(t, m.Wait(t, "STATUS=").Text, "hwrng", "starting", b.device)
	if took := d.stop(); took > kit.Patience {
		t.Errorf("stop took %s", took)
	}
	m.Wait(t, "STOPPING=1")
}

// The kernel makes the node even where no driver registered: open works, read gives ENODEV.
func TestFC007NodeWithoutDriver(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	t.Run("class says none", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.tree(b.sysfs, classDir+`/rng_current none\n
			`+classDir+`/rng_available \n`)
		b.fifo()
		d := b.start()
		s := d.reaches("starting")
		mustContain(t, s.Reason, "no driver behind it", "rng_current is none", "rng_available is empty")
		d.atMost(1, "WARN ERROR")

		// It keeps probing: a driver that loads late is picked up.
		b.tree(b.sysfs, classDir+`/rng_current late_rng.0\n
			`+classDir+`/rng_available late_rng.0 \n`)
		b.feed(good(), pace{})
		if s := d.reaches("active"); s.Driver != "late_rng.0" {
			t.Errorf("driver %q, want late_rng.0", s.Driver)
		}
	})
	t.Run("read says ENODEV", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.tree(b.sysfs, classDir+`/rng_current none\n
			`+classDir+`/rng_available \n
			`+classDir+`/dev 10:183\n`) // of another node, so that the class does not answer first
		b.feed(good(), pace{})
		tr := b.underStrace("-P", b.device, "-e", "trace=read", "-e", "inject=read:error=ENODEV")
		d := b.start()
		kit.Eventually(t, "a reason", func() bool { return d.source().Reason != "" })
		mustContain(t, d.source().Reason, "no driver behind it", "no such device")
		kit.Eventually(t, "several probes", func() bool { return tr.injected() >= 4 })
		s := d.scrape()
		if s.entered("quarantined") != 0 || s.credited() != 0 {
			t.Error("a missing driver is no bad data, and nothing to credit")
		}
		d.atMost(1, "WARN ERROR")
	})
}

func TestFC015SourceAppearsLate(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.start()
	d.reaches("starting")
	always(t, 3*time.Second, "the daemon waits", d.alive)
	b.feed(good(), pace{})
	appeared := time.Now()
	d.reaches("active")
	// One step of the back-off is 5.5 s at most here; the rest is for a busy machine.
	if took := time.Since(appeared); took > 8*time.Second {
		t.Errorf("picked up after %s, want one step of the back-off", took)
	}
	d.logged("first credit", "source=hwrng")
}

// The node had several names over the years.
func TestFC029OldNodeName(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, name := range []string{"hw_random", "hwrandom", "misc/hw_random"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.device = filepath.Join(b.dir, "dev", "hwrng") // the name of the default
			node := filepath.Join(b.dir, "dev", name)
			if err := os.MkdirAll(filepath.Dir(node), 0o755); err != nil {
				t.Fatal(err)
			}
			b.feedAt(node, good(), pace{})
			d := b.start()
			if s := d.reaches("active"); s.Device != node {
				t.Errorf("device %q, want %q", s.Device, node)
			}
			series := `hwrngd_source_info{device="` + node + `",driver="",kind="file",source="hwrng"}`
			d.scrape().mustBe(t, map[string]float64{series: 1})
		})
	}
}

// A generator that comes and goes, shortened from 3 s intervals: each change is followed, and
// costs a line, not more.
func TestFC065SourceComesAndGoes(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	const rounds = 3
	b := newBench(t)
	d := b.start("--refill-interval", "1s")
	for round := range rounds {
		f := b.feed(good(), pace{})
		d.reaches("active")
		before := d.scrape().credited()
		kit.Eventually(t, "credit flows", func() bool { return d.scrape().credited() > before })
		f.vanish()
		kit.Eventually(t, "the loss is noticed", func() bool { return d.source().State == "starting" })
		if s := d.scrape(); s.entered("active") != float64(round+1) {
			t.Errorf("round %d: entered active %v times", round, s.entered("active"))
		}
	}
	d.atMost(rounds+1, "WARN ERROR") // one for each loss, one at the start
	d.atMost(6*rounds+6, "")
}

// The kernel's FIPS mode is information, no condition.
func TestFC096KernelFIPSMode(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool + `sys/crypto/fips_enabled 1\n`)
	b.feed(good(), pace{})
	d := b.start()
	d.reaches("active")
	d.logged("first credit")
	d.atMost(0, "WARN ERROR")
	r := b.exec("status")
	if r.code != 0 {
		t.Errorf("status: exit code %d, want 0", r.code)
	}
	mustContain(t, r.stdout, "FIPS mode")
}
