package e2e

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// What a daemon with jitter alone gives to the kernel, and what it says of that.

// The target is 250 ms on an idle machine.
func TestFirstCreditOfJitter(t *testing.T) {
	kit.NeedRoot(t)
	var all []time.Duration
	for range 10 {
		b := newBench(t)
		d := b.startWith("jitter")
		d.logged("first credit", "source=jitter")
		all = append(all, time.Duration(d.scrape()["hwrngd_first_credit_seconds"]*float64(time.Second)).Round(time.Millisecond))
		d.stop()
	}
	slices.Sort(all)
	t.Logf("REPORT jitter alone, start to first credit, 10 starts: median %s, all %v; target 250 ms on an idle machine", all[len(all)/2], all)
}

// The metrics say what the trace of the same run says.
func TestJitterCreditedBitsAreThoseOfTheTrace(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, claim := range []string{"", "0.1"} {
		t.Run("claim "+claim, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
			args := []string{"--refill-interval", "1s"}
			if claim != "" {
				args = append(args, "--entropy", "jitter="+claim)
			}
			d := b.startWith("jitter", args...)
			d.added("jitter", 4, nil)
			b.write(b.config, "monitor = true\n") // no more credit, so that both can be compared
			d.signal(syscall.SIGHUP)
			d.logged("configuration reloaded", "monitor")
			s := d.scrape()

			bits, bytes := 0, 0
			data := map[string]bool{}
			for _, seed := range tr.Seeds() {
				if !seed.OK || seed.Bits != 512 || seed.Bytes != 64 {
					t.Errorf("%+v, want 512 bits in 64 bytes", seed)
				}
				if data[string(seed.Data)] {
					t.Error("the same seed twice")
				}
				data[string(seed.Data)] = true
				bits += seed.Bits
				bytes += seed.Bytes
			}
			if s.from("jitter", "entropy_credited_bits_total", "") != float64(bits) || s.addedBy("jitter") != float64(bytes) {
				t.Errorf("metrics: %v bits, %v bytes; trace: %d bits, %d bytes",
					s.from("jitter", "entropy_credited_bits_total", ""), s.addedBy("jitter"), bits, bytes)
			}
			if got := d.status().Feeding; got.Bits["jitter"] != uint64(bits) || got.Bytes["jitter"] != uint64(bytes) {
				t.Errorf("status: %v bits, %v bytes; trace: %d bits, %d bytes", got.Bits, got.Bytes, bits, bytes)
			}
			if s.readOf("jitter") < float64(len(data)*jitterRead) {
				t.Errorf("%v bytes read for %d seeds", s.readOf("jitter"), len(data))
			}
			// Every sample that became a seed was tested: 64 bytes are the hash of claim*n >= 512 + 64 bits.
			perBlock := 1152.0
			if claim != "" {
				perBlock = 5760
			}
			if n, least := s.from("jitter", "health_samples_total", ""), s.readOf("jitter")/64*perBlock; n < least {
				t.Errorf("%v samples tested, %v bytes need %v", n, s.readOf("jitter"), least)
			}
		})
	}
}

// Reloads, with and without a change of its source, leave a daemon without hardware alive and
// feeding. That none revives a source that has failed is shown in cmd/hwrngd.
func TestReloadOfJitter(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.startWith("jitter", "--refill-interval", "1s")
	s := d.added("jitter", 1, nil)
	reloads := 0
	reload := func(config string) {
		t.Helper()
		b.write(b.config, config)
		d.signal(syscall.SIGHUP)
		reloads++
		kit.Eventually(t, "reloaded", func() bool {
			return len(d.lines("INFO", "configuration reloaded")) >= reloads
		})
	}
	reload("")
	s = d.added("jitter", 1, s)
	if n := s.from("jitter", "source_transitions_total", `,to="active"`); n != 1 {
		t.Errorf("a reload without a change: active %v times", n)
	}
	// Each of these ends the source, perhaps while noise is made, and begins a new one.
	for i := range 5 {
		reload(fmt.Sprintf("[entropy]\njitter = 0.%d\n", 1+i%3))
	}
	s = d.added("jitter", 2, d.scrape())
	if state := d.named("jitter").State; state != "active" {
		t.Errorf("state %s, want active", state)
	}
	if n := s.from("jitter", "source_transitions_total", `,to="active"`); n < 2 {
		t.Errorf("changes of the claim: active %v times", n)
	}
	d.atMost(0, "WARN ERROR")
	d.stop()
	if _, err := os.Stat(b.runtime + "/status.sock"); err == nil {
		t.Error("the status socket is still there")
	}
}

// The kernel puts another clocksource in place when it finds the present one unstable. What was
// measured is another clock's then: the source is tested anew, and goes on.
func TestJitterAfterChangeOfClocksource(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	const clocksource = "devices/system/clocksource/clocksource0/current_clocksource"
	b := newBench(t)
	b.tree(b.sysfs, clocksource+` tsc\n`)
	d := b.startWith("jitter", "--refill-interval", "1s")
	s := d.added("jitter", 1, nil)
	b.tree(b.sysfs, clocksource+` hpet\n`)
	kit.Eventually(t, "a new start-up test", func() bool { return d.scrape().from("jitter", "source_transitions_total", `,to="active"`) == 2 })
	d.added("jitter", 2, s)
	if lines := d.lines("WARN", "clocksource", "tsc", "hpet"); len(lines) != 1 {
		t.Errorf("want one line about the clocksource, got %q", lines)
	}
	d.atMost(1, "WARN ERROR")
}
