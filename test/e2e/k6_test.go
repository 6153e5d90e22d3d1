package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K6: what the kernel's pool shows, and when it is fed.

// Since Linux 5.18 the level is 256 of 256 for ever. That is no reason to top it up, nor to warn.
func TestFC003PoolAlwaysFull(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool)
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,?poll,ppoll,write")
	d := b.start("--refill-interval", "1s")
	seeds := tr.waitSeeds(5)
	// The timer decides, at one second give or take a tenth. Lateness is the machine's business.
	for i := 2; i < len(seeds); i++ { // the first pause may begin before the first seed has ended
		if gap := seeds[i].At.Sub(seeds[i-1].At); gap < 850*time.Millisecond {
			t.Errorf("seed %d came %s after the one before, want about a second", i, gap)
		}
	}
	if polls := tr.Calls("poll("); len(polls) != 0 {
		t.Errorf("waits for a wish that never comes: %q", polls[0].Text)
	}
	d.atMost(0, "WARN ERROR")
	d.scrape().mustBe(t, map[string]float64{
		"hwrngd_kernel_entropy_available_bits": 256, "hwrngd_kernel_entropy_pool_size_bits": 256,
	})
	mustContain(t, b.exec("status").stdout, "256 of 256 bits", "stays full")
}

// A level that never moves, and a kernel that seems to ask always, must not make a busy loop. On a
// legacy pool the kernel's wish counts; strace makes it a constant one.
func TestFC009NoTightLoop(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, c := range []struct {
		name  string
		pool  int
		asks  bool
		seeds int // in 5 s
	}{
		// One at once, then a minute of rest.
		{"modern", 256, false, 1},
		// The kernel of this machine never asks.
		{"legacy", 4096, false, 1},
		// Four in a row at 100 ms each, one more by the last wish, then the timer.
		{"legacy asks always", 4096, true, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.fakeProcfs(fmt.Sprintf(`sys/kernel/random/poolsize %d\n
				sys/kernel/random/entropy_avail 100\n`, c.pool))
			f := b.silence()
			d := b.start()
			options := []string{"-P", b.random, "-e", "trace=ioctl,?poll,ppoll,write"}
			if c.asks {
				options = append(options, "-e", "inject=?poll,ppoll:retval=1:poke_exit=@arg1="+askingPollFd(d))
			}
			tr := d.attach(options...)
			f.play(good())
			tr.waitSeeds(1)
			time.Sleep(5 * time.Second) // what must not happen has no event to wait for
			if n := len(tr.Seeds()); n > c.seeds {
				t.Errorf("%d seeds in 5 s, want at most %d", n, c.seeds)
			} else if c.asks && n < 3 {
				t.Errorf("%d seeds: the kernel's wish was not heard, so nothing was tested", n)
			}
			if n := len(tr.Calls("RNDRESEEDCRNG")); n > 1 {
				t.Errorf("%d reseeds, want 1 at most: never one for each seed", n)
			}
			if n := len(tr.Calls()); n > 4*c.seeds+8 {
				t.Errorf("%d calls on the random device", n)
			}
			d.atMost(0, "WARN ERROR")
		})
	}
}

// askingPollFd is struct pollfd of the random device, with POLLOUT asked for and granted, in hex.
func askingPollFd(d *daemon) string {
	d.t.Helper()
	kit.Eventually(d.t, "the random device is open", func() bool { return d.opened(d.bench.random) })
	// Little-endian; no daemon has 256 files open.
	return fmt.Sprintf("%02x00000004000400", d.descriptor(d.bench.random))
}

// The kernel feeds itself: the user learns so, and at which quality.
func TestFC013KernelFeedsItself(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool + `
		77/comm     hwrng\n
		77/cmdline`)
	b.generators("virtio_rng.0", "virtio_rng.0")
	b.tree(b.sysfs, classDir+`/rng_quality 900\n`)
	b.feed(good(), pace{})
	r := b.exec("status")
	mustContain(t, r.stdout, "the kernel reads virtio_rng.0 by itself, but nothing tests that generator", "900/1024")

	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
	d := b.start("--monitor", "--refill-interval", "1s")
	d.reaches("active")
	begin := d.scrape()
	since := time.Now()
	kit.Eventually(t, "three blocks tested", func() bool {
		return d.scrape().of("fips_blocks_total", `,result="pass"`) >= begin.of("fips_blocks_total", `,result="pass"`)+3
	})
	s, took := d.scrape(), time.Since(since)
	// A block a second, give or take a tenth, one that may be under way, and a surplus one of the
	// start.
	if n := s.of("source_read_bytes_total", "") - begin.of("source_read_bytes_total", ""); n > blockBytes*(took.Seconds()/0.9+2) {
		t.Errorf("%v bytes read in %s: monitoring has to be cheap", n, took)
	}
	if s.credited() != 0 || s.of("entropy_added_bytes_total", "") != 0 || len(tr.Seeds()) != 0 || len(tr.Calls("write(")) != 0 {
		t.Error("monitor mode gave something to the kernel")
	}
	mustContain(t, b.exec("status").stdout, "in monitor mode, credits nothing")
	d.atMost(0, "WARN ERROR")
}

// The wake-up threshold is a dummy on new kernels and refuses values on others.
func TestFC036ThresholdNotNeeded(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool) // without the file
	b.feed(good(), pace{})
	tr := b.underStrace("-e", "trace=?open,openat")
	d := b.start("--refill-interval", "1s")
	d.credits(2)
	if n := len(tr.Calls("poolsize")); n == 0 {
		t.Error("the trace shows nothing: it proves nothing")
	}
	if opens := tr.Calls("wakeup_threshold"); len(opens) != 0 {
		t.Errorf("opened: %q", opens[0].Text)
	}
	d.atMost(0, "WARN ERROR")
}
