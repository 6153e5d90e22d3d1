package e2e

import (
	"io"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Jitter stands in for hardware that is there: silent, stuck, broken, or only slow.

// FC-043 in full: the fallback takes over from hardware that is silent, and gives back.
func TestFC043FallbackForSilentSource(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	const fed = 8 << 10
	b := newBench(t)
	g := good()
	f := b.feed(first(fed, g), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
	d := b.startWith("auto", "--refill-interval", "1s")
	d.becomes("hwrng", "active", kit.Patience)
	begin := time.Now()
	d.takesOver(stallDelay + 2*fallbackDelay)
	t.Logf("REPORT silent hardware: jitter feeds %s after the start", time.Since(begin).Round(100*time.Millisecond))
	if n := d.readers(); n != 1 {
		t.Errorf("%d threads in a read of the device, want 1", n)
	}
	if n := d.scrape().errors("timeout"); n == 0 {
		t.Error("the stall is not in the metrics")
	}
	d.onlyJitterBeside(tr, fed)
	d.atMost(1, "WARN ERROR")
	f.play(g)
	d.handsBack()
	d.onlyJitterBeside(tr, fed+20*blockBytes)
	d.atMost(1, "WARN ERROR")
}

// FC-034 and the second form of FC-046: data that turn constant. Nothing of the bad data gets
// anywhere, jitter stands in, and hardware that recovers is used again.
func TestFC034FallbackForStuckSource(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, c := range []struct {
		name  string
		value stuck
	}{{"zeros", 0}, {"ones", 0xff}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const fed = firstBytes + 3*blockBytes + 1000
			b := newBench(t)
			g := good()
			f := b.feed(io.MultiReader(first(fed, g), c.value), pace{})
			tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
			d := b.startWith("auto", "--refill-interval", "1s")
			d.becomes("hwrng", "active", kit.Patience)
			d.becomes("hwrng", "quarantined", kit.Patience)
			begin := time.Now()
			d.takesOver(fallbackDelay)
			t.Logf("REPORT stuck hardware: jitter feeds %s after the quarantine", time.Since(begin).Round(100*time.Millisecond))
			d.onlyJitterBeside(tr, fed)
			f.playAtOnce(g) // the next test comes after a pause
			d.handsBack()
			d.onlyJitterBeside(tr, fed+40*blockBytes)
			d.atMost(0, "ERROR")
			d.atMost(8, "WARN")
		})
	}
}

// A driver whose every read fails, and probes of it that become rare, while jitter feeds.
func TestFC071FallbackForFailingReads(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.device, "-e", "trace=read", "-e", "inject=read:error=EINVAL")
	d := b.startWith("auto", "--refill-interval", "1s")
	s := d.takesOver(fallbackDelay)
	d.added("jitter", 8, s)
	if s := d.scrape(); s.credited() != 0 || s.readOf("hwrng") != 0 || !s.fallback() {
		t.Errorf("%v bits credited of a source that cannot be read", s.credited())
	}
	mustContain(t, d.named("hwrng").Reason, "invalid argument")
	// 0.1, 0.2, 0.4, ... 6.4 s: some 8 in 14 s, and not more because jitter feeds each second.
	probes := tr.Calls("INJECTED")
	if len(probes) > 10 {
		t.Errorf("%d probes", len(probes))
	}
	if last := len(probes) - 1; last >= 6 && probes[last].At.Sub(probes[last-1].At) < 8*probes[2].At.Sub(probes[1].At) {
		t.Error("pauses between probes do not grow")
	}
	d.atMost(2, "WARN ERROR")
	d.atMost(9, "")
	d.endTrace() // the driver is repaired
	d.handsBack()
}

// FC-054: slow hardware is hardware. It is waited for, and jitter stays at rest.
func TestFC054SlowHardwareGoesFirst(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{burst: firstBytes, chunk: 2, pause: 9 * time.Millisecond}) // then some 200 bytes a second
	d := b.startWith("auto", "--refill-interval", "1s")
	s := d.added("hwrng", 1, nil)
	s = d.added("hwrng", 1, s)
	if s.readOf("jitter") != 0 || s.fallback() || s.from("jitter", "health_samples_total", "") != 0 {
		t.Errorf("jitter was asked beside hardware that works: %v bytes read", s.readOf("jitter"))
	}
	d.atMost(0, "WARN ERROR")
}
