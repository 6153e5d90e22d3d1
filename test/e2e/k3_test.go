package e2e

import (
	"bytes"
	"crypto/sha512"
	"io"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K3: reads that hang, fail, or bring little. The stops are in stop_test.go.

// Twenty bytes a second is slow, not dead. A burst at the start saves time.
func TestFC010SlowIsNotDead(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	m := b.serviceManager()
	b.feed(good(), pace{burst: 400, chunk: 1, pause: 50 * time.Millisecond})
	d := b.start()
	kit.Eventually(t, "progress", func() bool { return d.source().BlockFilled > 0.1 })
	before := d.source()
	always(t, 3*time.Second, "it is starting, for no reason of trouble", func() bool {
		s := d.source()
		return s.State == "starting" && s.Reason == ""
	})
	after := d.source()
	// At 20 B/s three seconds bring 60 bytes, of which a read in progress may hold some.
	if after.BytesRead < before.BytesRead+20 || after.BlockFilled <= before.BlockFilled {
		t.Errorf("no progress: %d bytes, then %d", before.BytesRead, after.BytesRead)
	}
	mustContain(t, b.exec("status").stdout, "starting", "% of a test block read")
	m.Wait(t, "READY=1")
	d.atMost(0, "WARN ERROR")
	d.stop()
}

// Input/output errors now and then: EIO on every third read of each thread.
func TestFC019ErrorsNowAndThen(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{chunk: 100, pause: time.Millisecond})
	tr := b.underStrace("-P", b.device, "-e", "trace=read", "-e", "inject=read:error=EIO:when=3+3")
	d := b.start("--refill-interval", "1s")
	d.reaches("active")
	s := d.credits(3)
	kit.Eventually(t, "several errors", func() bool { s = d.scrape(); return s.errors("eio") >= 3 })
	if n := tr.injected(); s.errors("eio") > float64(n) || s.allErrors() != s.errors("eio") {
		t.Errorf("%v EIO counted of %d, %v errors in all", s.errors("eio"), n, s.allErrors())
	}
	if tr.inARow() >= 3 {
		t.Skip("SKIPPED, NOT TESTED: three threads failed one after the other")
	}
	if s.entered("active") != 1 || s.entered("quarantined") != 0 {
		t.Error("the source did not stay in use")
	}
	d.atMost(0, "WARN ERROR")
}

// A watchdog must not depend on the source, nor READY on its speed.
func TestFC031SilentSourceUnderWatchdog(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.silence()
	m := b.serviceManager()
	const timeout = 2 * time.Second
	b.env = append(b.env, "WATCHDOG_USEC=2000000")
	d := b.start()
	m.Wait(t, "READY=1")
	mustContain(t, m.Wait(t, "STATUS=").Text, "source hwrng is starting")
	kit.Eventually(t, "six pings", func() bool { return len(m.Got("WATCHDOG=1")) >= 6 })
	last := time.Time{}
	for i, ping := range m.Got("WATCHDOG=1") {
		if gap := ping.At.Sub(last); i > 0 && gap > timeout {
			t.Errorf("ping %d came %s after the one before, the limit is %s", i, gap, timeout)
		}
		last = ping.At
	}
	d.scrape().mustBe(t, map[string]float64{"hwrngd_watchdog_timeout_seconds": timeout.Seconds()})
}

// The host of a virtual machine ran dry: 8 KiB, then silence, then data again.
func TestFC043StallAndReturn(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	g := good()
	f := b.feed(first(8<<10, g), pace{})
	d := b.start("--refill-interval", "1s")
	d.reaches("active")
	// No source counts as silent before 15 s.
	kit.Within(t, 2*kit.Patience, "the stall is noticed", func() bool { return d.source().State == "starting" })
	if s := d.scrape(); s.errors("timeout") == 0 {
		t.Error("the stall is not in the metrics")
	}
	if lines := d.lines("WARN", "silent"); len(lines) != 1 {
		t.Errorf("want one line about the stall, got %q", lines)
	}
	if n := d.readers(); n != 1 {
		t.Errorf("%d threads in a read of the device, want 1", n)
	}
	before := d.scrape()
	f.play(g)
	d.reaches("active")
	if after := d.scrape(); after.entered("active") != before.entered("active")+1 {
		t.Error("no new start-up test")
	}
	kit.Eventually(t, "credit after the stall", func() bool { return d.scrape().credited() > before.credited() })
	d.atMost(1, "WARN ERROR")
}

// Short reads and interrupted ones are no errors, and lose nothing: the seed that the kernel gets
// is the hash of exactly the bytes that were fed.
func TestFC044ShortAndInterruptedReads(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{chunk: 1, pause: 20 * time.Microsecond})
	tr := b.underStrace("-P", b.device, "-P", b.random, "-e", "trace=read,ioctl", "-e", "inject=read:error=EINTR:when=2+2")
	d := b.start()
	seed := tr.waitSeeds(1)[0]
	fed := make([]byte, firstBytes)
	if _, err := io.ReadFull(good(), fed); err != nil {
		t.Fatal(err)
	}
	if want := sha512.Sum512(fed[flushBytes:]); !bytes.Equal(seed.Data, want[:]) {
		t.Errorf("the seed is not the hash of bytes %d to %d of the feed", flushBytes, firstBytes)
	}
	if n := tr.injected(); n < 5 {
		t.Errorf("only %d reads interrupted", n)
	}
	if s := d.scrape(); s.allErrors() != 0 {
		t.Errorf("%v read errors counted, want 0", s.allErrors())
	}
	d.atMost(0, "WARN ERROR")
}

// Hardware that needs one access to warm up: the first read fails. strace counts for each thread
// by itself, so it is ended once it has done its work.
func TestFC045FirstReadFails(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.device, "-e", "trace=read", "-e", "inject=read:error=EIO:when=1")
	d := b.start()
	kit.Eventually(t, "the first read fails", func() bool { return tr.injected() > 0 })
	d.endTrace()
	d.reaches("active")
	d.logged("first credit")
	if n := d.scrape().errors("eio"); n == 0 || n != d.scrape().allErrors() {
		t.Errorf("%v EIO, %v errors in all", n, d.scrape().allErrors())
	}
	if tr.inARow() >= 3 {
		t.Skip("SKIPPED, NOT TESTED: three threads failed one after the other")
	}
	d.atMost(0, "WARN ERROR")
}

// A clean stop is not full of errors about closed files.
func TestFC068CleanStop(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	d := b.start("--refill-interval", "1s", "--log-level", "debug")
	d.credits(3)
	d.stop()
	d.atMost(0, "WARN ERROR")
	if lines := d.lines("INFO", "stopped", "credited_bits="); len(lines) != 1 {
		t.Errorf("want one line that sums up, got %q", lines)
	}
}

// Listing is quick whatever a device does.
func TestFC069ListDoesNotHang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		feed  func(*bench)
		state string
	}{
		{"good", func(b *bench) { b.feed(good(), pace{}) }, "usable"},
		{"silent", func(b *bench) { b.silence() }, "no data within 2s"},
		{"no writer", func(b *bench) { b.fifo() }, "no data within 2s"},
		{"missing", func(*bench) {}, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.tree(b.sysfs, classDir+`/rng_current first.rng\n
				`+classDir+`/rng_available first.rng second.rng \n`)
			c.feed(b)
			r := b.exec("list")
			if r.code != 0 || r.took > 5*time.Second {
				t.Errorf("exit code %d after %s", r.code, r.took)
			}
			mustContain(t, r.stdout, c.state)
			if c.name != "missing" {
				mustContain(t, r.stdout, "first.rng", "second.rng", "not current")
			}
		})
	}
}

// A driver whose every read fails: few lines, and probes that become rare, since each of them may
// put a line into the kernel's log too.
func TestFC071EveryReadFails(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.device, "-e", "trace=read", "-e", "inject=read:error=EINVAL")
	d := b.start()
	kit.Eventually(t, "seven probes", func() bool { return tr.injected() >= 7 })
	probes := tr.Calls("INJECTED")
	gap := func(i int) time.Duration { return probes[i].At.Sub(probes[i-1].At) }
	// Each pause is twice the one before, give or take a tenth: 0.1 s at first, 3.2 s at last.
	if gap(6) < 8*gap(1) {
		t.Errorf("pauses grew from %s to %s only", gap(1), gap(6))
	}
	s := d.reaches("starting")
	mustContain(t, s.Reason, "invalid argument")
	if n := d.scrape().errors("other"); n < 7 {
		t.Errorf("%v errors counted, want 7 or more", n)
	}
	d.atMost(2, "WARN ERROR")
	d.atMost(6, "")
}
