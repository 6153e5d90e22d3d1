package e2e

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// What the kernel was given, seen from the kernel's side.

// The metrics say what the trace of the same run says.
func TestCreditedBitsAreThoseOfTheTrace(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, entropy := range []string{"hwrng=4", "hwrng=0.1"} {
		t.Run(entropy, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.feed(good(), pace{})
			tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
			d := b.start("--refill-interval", "1s", "--entropy", entropy)
			d.credits(4)
			b.write(b.config, "monitor = true\n") // no more credit, so that both can be compared
			d.signal(syscall.SIGHUP)
			d.logged("configuration reloaded", "monitor")
			s := d.scrape()
			read, claim := s.of("source_read_bytes_total", ""), s.of("source_claimed_min_entropy_bits", "")

			bits, bytes := 0, 0
			for _, seed := range tr.Seeds() {
				if !seed.OK {
					t.Errorf("refused: %+v", seed)
				}
				if limit := claim*blockBytes - 64; float64(seed.Bits) > limit || seed.Bits > 8*seed.Bytes || seed.Bytes > 512 {
					t.Errorf("%d bits for %d bytes, the claim allows %v", seed.Bits, seed.Bytes, limit)
				}
				bits += seed.Bits
				bytes += seed.Bytes
			}
			if s.credited() != float64(bits) || s.of("entropy_added_bytes_total", "") != float64(bytes) {
				t.Errorf("metrics: %v bits, %v bytes; trace: %d bits, %d bytes", s.credited(), s.of("entropy_added_bytes_total", ""), bits, bytes)
			}
			if got := d.status().Feeding; got.Bits["hwrng"] != uint64(bits) || got.Bytes["hwrng"] != uint64(bytes) {
				t.Errorf("status: %v bits, %v bytes; trace: %d bits, %d bytes", got.Bits, got.Bytes, bits, bytes)
			}
			if float64(bits) > claim*read-64 {
				t.Errorf("%d bits credited for %v bytes at %v bits each", bits, read, claim)
			}
		})
	}
}

// A kernel that is not seeded gets seeds one after the other. strace plays such a kernel until it
// is ended.
func TestUnreadyKernelGetsAllAtOnce(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool)
	b.feed(good(), pace{chunk: 100, pause: 10 * time.Millisecond}) // 10 kB/s, as much hardware
	tr := b.underStrace("-e", "trace=getrandom,ioctl", "-e", "inject=getrandom:error=EAGAIN")
	d := b.start("--once")
	seeds := tr.waitSeeds(4)
	for i, seed := range seeds {
		if seed.Bits != 512 || !seed.OK {
			t.Errorf("seed %d: %+v, want 512 bits", i, seed)
		}
	}
	if code, _ := d.page("/-/ready"); code != 503 {
		t.Errorf("/-/ready: %d, want 503", code)
	}
	d.scrape().mustBe(t, map[string]float64{"hwrngd_crng_ready": 0, "hwrngd_ready": 0})
	if n := len(tr.Calls("RNDRESEEDCRNG")); n != 0 {
		t.Errorf("%d reseeds of a generator that takes its first key from the pool anyway", n)
	}
	// The kernel becomes ready: --once has done its work.
	d.endTrace()
	if code := d.wait(kit.Patience); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	d.logged("the kernel's random generator is ready")
}

// A real generator, a real kernel: how long until the first credit. The device is slow and not
// ours alone, so this is done once, and the time is a figure, not a verdict.
func TestFirstCreditFromRealDevice(t *testing.T) {
	kit.NeedRoot(t)
	const device = "/dev/hwrng"
	if _, err := os.Stat(device); err != nil {
		kit.Missing(t, "no hardware generator: %v", err)
	}
	b := newBench(t)
	b.device, b.sysfs = device, "/sys" // --hwrng-select is keep: nothing is written there
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl")
	d := b.start()
	seed := tr.waitSeeds(1)[0]
	s := d.credits(1)
	if !seed.OK || seed.Bits != 512 || seed.Bytes != 64 {
		t.Errorf("first credit: %+v, want 512 bits in 64 bytes", seed)
	}
	d.atMost(0, "WARN ERROR")
	rate := s.of("source_read_bytes_total", "") / s.of("source_read_seconds_sum", "")
	target := 2500/rate + 0.05
	t.Logf("REPORT first credit on %s (%s): after %.0f ms, target 2500/r + 50 ms = %.0f ms at %.0f bytes a second",
		device, d.source().Driver, 1000*s["hwrngd_first_credit_seconds"], 1000*target, rate)
	t.Logf("REPORT trace of the first credit: entropy_count=%d bits, buf_size=%d bytes", seed.Bits, seed.Bytes)
	d.stop()
}
