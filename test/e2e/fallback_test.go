package e2e

import (
	"crypto/sha512"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Jitter stands in for hardware that is missing or bad, and only for as long.

const (
	fallbackDelay = 5 * time.Second  // without hardware, until a fallback is asked
	stallDelay    = 15 * time.Second // no source counts as silent before
)

// takesOver waits until jitter feeds the kernel and returns the scrape that shows it.
func (d *daemon) takesOver(limit time.Duration) scrape {
	d.t.Helper()
	before := d.scrape().addedBy("jitter")
	var s scrape
	kit.Within(d.t, limit+2*kit.Patience, "jitter takes over", func() bool {
		s = d.scrape()
		// A scrape is not taken at one moment: each part of it comes when it comes.
		return s.fallback() && s.addedBy("jitter") > before && s.from("jitter", "source_state", `,state="active"`) == 1 &&
			s["hwrngd_first_credit_seconds"] > 0
	})
	return s
}

// handsBack waits until hardware feeds the kernel again, and fails the case if jitter is asked
// after that.
func (d *daemon) handsBack() {
	d.t.Helper()
	d.becomes("hwrng", "active", 2*kit.Patience)
	s := d.added("hwrng", 1, d.scrape())
	if s = d.added("hwrng", 1, s); s.fallback() { // by now whatever was asked for before has come
		d.t.Error("hardware feeds, and a fallback is said to be in use")
	}
	later := d.added("hwrng", 3, s)
	for _, name := range []string{"source_read_bytes_total", "entropy_added_bytes_total", "health_samples_total"} {
		if before, after := s.from("jitter", name, ""), later.from("jitter", name, ""); after != before {
			d.t.Errorf("jitter is still asked while hardware feeds: %s from %v to %v", name, before, after)
		}
	}
}

// onlyJitterBeside expects each seed of a trace to be either the hash of 2500 bytes of the first
// bytes of G1, or one of those that the metrics count as jitter's: nothing else was mixed in.
func (d *daemon) onlyJitterBeside(tr *trace, fed int) {
	d.t.Helper()
	script := make([]byte, fed)
	if _, err := io.ReadFull(good(), script); err != nil {
		d.t.Fatal(err)
	}
	fine := map[string]bool{}
	for at := 0; at+blockBytes <= fed; at++ {
		sum := sha512.Sum512(script[at:][:blockBytes])
		fine[string(sum[:])] = true
	}
	hardware, others := 0, 0
	seeds, s := tr.Seeds(), d.scrape()
	for _, seed := range seeds {
		if fine[string(seed.Data)] {
			hardware++
		} else {
			others++
		}
	}
	// The scrape is younger than the trace, by a seed at most.
	if n := int(s.addedBy("jitter") / 64); others > n || others < n-1 {
		d.t.Errorf("%d seeds are not of good data, %d are jitter's", others, n)
	}
	if n := int(s.addedBy("hwrng") / 64); hardware > n || hardware < n-1 {
		d.t.Errorf("%d seeds are of good data, %d are the hardware's", hardware, n)
	}
}

// FC-001 with the default sources: a machine without hardware is fed all the same. Hardware that
// appears, and goes again, is followed.
func TestFC001FallbackWithoutDevice(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	m := b.serviceManager()
	d := b.startWith("auto", "--refill-interval", "1s")
	begin := time.Now()
	d.becomes("hwrng", "starting", kit.Patience)
	if s := d.scrape(); time.Since(begin) < fallbackDelay-time.Second && (s.readOf("jitter") != 0 || s.fallback()) {
		t.Error("jitter works before hardware had its time")
	}
	s := d.takesOver(fallbackDelay)
	if first := time.Duration(s["hwrngd_first_credit_seconds"] * float64(time.Second)); first < fallbackDelay {
		t.Errorf("first credit after %s, the delay is %s", first, fallbackDelay)
	}
	t.Logf("REPORT no device: first credit, of jitter, after %.2f s", s["hwrngd_first_credit_seconds"])
	s.mustBe(t, map[string]float64{
		`hwrngd_ready`: 1,
		`hwrngd_source_state{source="hwrng",state="starting"}`: 1,
		`hwrngd_entropy_credited_bits_total{source="hwrng"}`:   0,
	})
	m.Wait(t, "READY=1")
	d.atMost(1, "WARN ERROR") // that there is no device
	if lines := d.lines("", "start-up test passed", "source=jitter"); len(lines) != 1 {
		t.Errorf("want one line that jitter is in use, got %q", lines)
	}
	mustContain(t, b.exec("status").stdout, "jitter", "active")
	f := b.feed(good(), pace{})
	d.handsBack()

	before := len(d.lines("", "jitter"))
	f.vanish()
	d.takesOver(fallbackDelay)
	t.Logf("REPORT lines when jitter takes over for the second time: %q", d.lines("", "jitter")[before:])
	d.atMost(2, "WARN ERROR")
	d.atMost(14, "")
	d.stop()
}

// Who asks for a unit that fails without a source has one: jitter.
func TestFC001RequireSourceWithFallback(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.startWith("auto", "--require-source", "--refill-interval", "1s")
	d.takesOver(fallbackDelay)
	always(t, 6*time.Second, "the daemon runs", d.alive)
	d.stop()
}

// How long a fallback rested is no part of its start-up test.
func TestStartupTestOfFallbackIsNotItsRest(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.startWith("auto", "--refill-interval", "1s")
	s := d.takesOver(fallbackDelay)
	took, whole := s.from("jitter", "startup_test_seconds", ""), s["hwrngd_first_credit_seconds"]
	if took > whole-fallbackDelay.Seconds() {
		t.Errorf("startup_test_seconds of jitter is %.2f, its first credit came after %.2f s: that counts the %s at rest", took, whole, fallbackDelay)
	}
}

// A reload may take the fallback away, and give it back, in the middle of its work.
func TestReloadOfFallback(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.env = append(b.env, "HWRNGD_SOURCES=") // they are to come from the file
	b.write(b.config, "sources = [\"auto\"]\n")
	d := b.start("--refill-interval", "1s")
	d.takesOver(fallbackDelay)
	b.write(b.config, "sources = [\"hwrng\"]\n")
	d.signal(syscall.SIGHUP)
	d.logged("configuration reloaded", "sources")
	kit.Eventually(t, "no fallback in use", func() bool { return !d.scrape().fallback() })
	if s := d.scrape(); s.from("jitter", "source_state", `,state="disabled"`) != 1 {
		t.Error("jitter is not wanted any more, and not disabled")
	}
	if d.source().Name != "hwrng" {
		t.Error("jitter is still a source")
	}
	s := d.scrape()
	time.Sleep(2 * time.Second)
	if n := d.scrape().addedBy("jitter"); n > s.addedBy("jitter") {
		t.Error("jitter still feeds")
	}
	b.write(b.config, "sources = [\"auto\"]\n")
	d.signal(syscall.SIGHUP)
	d.takesOver(fallbackDelay)
	if n := d.scrape().addedBy("jitter"); n <= s.addedBy("jitter") {
		t.Error("counters were lost")
	}
	d.atMost(2, "WARN ERROR")
}

// Before the kernel is ready for the first time nothing is waited for: all sources are asked.
// Afterwards jitter rests.
func TestUnreadyKernelAsksAllSources(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{chunk: 100, pause: 10 * time.Millisecond}) // 10 kB/s, as much hardware
	tr := b.underStrace("-e", "trace=getrandom,ioctl", "-e", "inject=getrandom:error=EAGAIN")
	d := b.startWith("auto", "--refill-interval", "1s")
	var s scrape
	kit.Within(t, 3*kit.Patience, "seeds of both", func() bool {
		s = d.scrape()
		return s.addedBy("hwrng") > 0 && s.addedBy("jitter") > 0
	})
	t.Logf("REPORT unready kernel: first credit after %.0f ms (under strace)", 1000*s["hwrngd_first_credit_seconds"])
	if s.fallback() {
		t.Error("hardware is in use, and a fallback is said to be in use for want of it")
	}
	for _, seed := range tr.Seeds() {
		if seed.Bits != 512 || !seed.OK {
			t.Errorf("%+v, want 512 bits", seed)
		}
	}
	d.endTrace()
	kit.Eventually(t, "the kernel is ready", func() bool { return d.scrape()["hwrngd_crng_ready"] == 1 })
	d.handsBack()
	d.atMost(0, "WARN ERROR")
}

// Without hardware --once is done by jitter alone, and at once.
func TestOnceByJitterAlone(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool)
	tr := b.underStrace("-e", "trace=getrandom,ioctl", "-e", "inject=getrandom:error=EAGAIN")
	b.showNoise()
	d := b.startWith("auto", "--once")
	kit.Eventually(t, "noise is being made", func() bool { return d.niceTasks() > 0 })
	if d.scrape().fallback() {
		t.Error("jitter was asked for want of hardware, not at once")
	}
	d.added("jitter", 4, nil)
	seeds := tr.waitSeeds(4)
	for i, seed := range seeds {
		if seed.Bits != 512 || !seed.OK {
			t.Errorf("seed %d: %+v, want 512 bits", i, seed)
		}
	}
	s := d.scrape()
	t.Logf("REPORT unready kernel without hardware: first credit after %.0f ms (under strace), then a seed each %s",
		1000*s["hwrngd_first_credit_seconds"], (seeds[3].At.Sub(seeds[0].At) / 3).Round(time.Millisecond))
	d.endTrace()
	if code := d.wait(kit.Patience); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	d.logged("the kernel's random generator is ready")
}
