package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K6, second part: what is credited, by which call, and how much of it.

// Only the ioctl credits. Where it is refused, and if asked, data are mixed by plain writes, and
// nothing counts as credited.
func TestFC055PlainWriteIsNoCredit(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	t.Run("credit", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.feed(good(), pace{})
		tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
		d := b.start("--refill-interval", "1s")
		d.credits(2)
		if writes := tr.Calls("write("); len(writes) != 0 || len(tr.Seeds()) < 2 {
			t.Errorf("%d plain writes, %d ioctls", len(writes), len(tr.Seeds()))
		}
	})
	t.Run("no credit", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.restrict = []string{noAdmin}
		b.feed(good(), pace{})
		tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
		d := b.start("--refill-interval", "1s", "--mix-uncredited")
		s := d.credits(2)
		if s.credited() != 0 || len(tr.Calls("write(", "= 64")) < 2 {
			t.Errorf("%v bits credited, %d writes of 64 bytes", s.credited(), len(tr.Calls("write(", "= 64")))
		}
	})
}

// A sink that takes no entropy: the daemon would run and seed nothing.
func TestFC056SinkIsNoRandomDevice(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, c := range []struct{ name, sort string }{
		{"file", "regular file"},
		{"null", "character device 1:3"},
		{"fifo", "FIFO"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.feed(good(), pace{})
			b.random = filepath.Join(b.dir, "sink")
			switch c.name {
			case "file":
				b.write(b.random, "")
			case "null":
				b.random = "/dev/null"
			case "fifo":
				if err := syscall.Mkfifo(b.random, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			b.refused(2, []string{b.random, c.sort, "inappropriate ioctl for device", "hint: --random-device must be"})
		})
	}
}

// What the driver states of its quality is a cap, and only where it states something.
func TestFC057Quality(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, c := range []struct {
		quality string  // content of rng_quality, "" for no file
		claim   float64 // bits a byte
		credit  int     // of a block of 2500 bytes: claim times 2500 less 64, at most 512
	}{
		{"", 4, 512},
		{`0\n`, 4, 512},
		{`1\n`, 8. / 1024, 0},
		{`30\n`, 30 * 8. / 1024, 512},
		{`29\n`, 29 * 8. / 1024, 502},
		{`512\n`, 4, 512},
		{`256\n`, 2, 512},
		{`1023\n`, 4, 512},
		{`1024\n`, 4, 512},
		{`5000\n`, 4, 512},
		{`-5\n`, 4, 512},
		{`high\n`, 4, 512},
	} {
		t.Run(strings.TrimSuffix(c.quality, `\n`), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.generators("some.rng", "some.rng")
			if c.quality != "" {
				b.tree(b.sysfs, classDir+"/rng_quality "+c.quality)
			}
			b.feed(good(), pace{})
			d := b.start()
			if s := d.reaches("active"); s.MinEntropy != c.claim {
				t.Errorf("claim %v (%s), want %v bits a byte", s.MinEntropy, s.ClaimOrigin, c.claim)
			}
			s := d.credits(1)
			seeds := s.of("entropy_added_bytes_total", "") / 64
			if s.credited() != seeds*float64(c.credit) || s.of("source_claimed_min_entropy_bits", "") != c.claim {
				t.Errorf("%v bits credited for %v blocks at a claim of %v, want %d for each", s.credited(), seeds, s.of("source_claimed_min_entropy_bits", ""), c.credit)
			}
		})
	}
}

// The numbers that the kernel sees: bits first, then bytes.
func TestFC082Numbers(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl")
	b.start("--entropy", "hwrng=0.1")
	if seed := tr.waitSeeds(1)[0]; seed.Bits != 0.1*blockBytes-64 || seed.Bytes != 64 || !seed.OK {
		t.Errorf("entropy_count %d bits, buf_size %d bytes, accepted %t; want 186, 64, true", seed.Bits, seed.Bytes, seed.OK)
	}
}

// A kernel that cannot reseed on demand does so by itself a little later.
func TestFC090ReseedRefused(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.restrict = []string{noReseed}
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl")
	d := b.start("--refill-interval", "1s")
	d.credits(4)
	if calls := tr.Calls("RNDRESEEDCRNG"); len(calls) != 1 || !strings.Contains(calls[0].Text, "EINVAL") {
		t.Errorf("want one attempt that fails, got %v", calls)
	}
	d.scrape().mustBe(t, map[string]float64{`hwrngd_pool_ioctl_errors_total{op="reseed_crng",reason="einval"}`: 1})
	d.atMost(0, "WARN ERROR")
}
