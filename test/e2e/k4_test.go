package e2e

import (
	"crypto/sha512"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K4: data that are not random. These cases are about what reaches the kernel; which test
// finds what is the business of packages fips, sp80090b and source.

// Old guides recommend to feed the kernel with its own output.
func TestFC002KernelsOwnOutput(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, own := range []string{"/dev/urandom", "/dev/random"} {
		t.Run(filepath.Base(own), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if err := os.Symlink(own, b.device); err != nil {
				t.Fatal(err)
			}
			explained := []string{b.device + " cannot be a source", "the kernel's own " + own, "hint: old guides recommend this"}
			b.refused(2, explained)
			b.refused(2, explained, "--monitor")
			if r := b.exec("list"); r.code != 0 {
				t.Errorf("list: exit code %d:\n%s", r.code, r.stderr)
			} else {
				mustContain(t, r.stdout, "the kernel's own "+own)
			}
		})
	}
}

// Hardware that firmware left off: one value for ever.
func TestFC017OnlyOnes(t *testing.T) {
	neverCredited(t, 1024, func() io.Reader { return stuck(0xff) }, "health test", "0xff")
}

func TestFC046OnlyZeros(t *testing.T) {
	neverCredited(t, 1024, func() io.Reader { return stuck(0) }, "health test", "0x00")
}

// A register that is read before it is ready: each word twice (G18), or the same 16 bytes for ever
// (G12).
func TestFC047StaleRegister(t *testing.T) {
	t.Run("words twice", func(t *testing.T) { neverCredited(t, blockBytes, wordsTwice, "continuous_run") })
	t.Run("sixteen bytes", func(t *testing.T) {
		neverCredited(t, blockBytes, sixteenBytes, "repeat detector", "of 16 bytes earlier")
	})
}

// Bias, G15 with p = 0.4: the reason shows the share of ones, so that a user can see what it is.
func TestFC048Bias(t *testing.T) {
	neverCredited(t, blockBytes, func() io.Reader { return &biased{source: &stream{label: "hwrngd-bias"}, share: 0.4} },
		"monobit", "of 20000 bits are ones")
}

// neverCredited feeds bad data for ever. The first bytes, after the flush, must do to refuse it.
func neverCredited(t *testing.T, bytes int, script func() io.Reader, reason ...string) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	bad := script()
	f := b.feed(first(flushBytes+bytes, bad), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
	d := b.start("--refill-interval", "1s")
	mustContain(t, d.reaches("quarantined").Reason, reason...)
	f.play(bad)
	kit.Eventually(t, "a second test, and a third", func() bool { return d.scrape().entered("quarantined") >= 3 })
	if s := d.scrape(); s.credited() != 0 || s.entered("active") != 0 || s.of("entropy_added_bytes_total", "") != 0 {
		t.Errorf("%v bits credited", s.credited())
	}
	if seeds := tr.Seeds(); len(seeds) != 0 {
		t.Errorf("%d seeds offered to the kernel", len(seeds))
	}
	d.atMost(0, "ERROR")
	d.atMost(3, "WARN") // one for each test, unless they come too fast
}

// The second form of FC-046: good data that turn into zeros. The block in progress is dropped.
func TestFC046TurnsIntoZeros(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	const blocks = 4
	b := newBench(t)
	b.feed(io.MultiReader(first(firstBytes+(blocks-1)*blockBytes+1000, good()), stuck(0)), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
	d := b.start("--refill-interval", "1s")
	s := d.reaches("quarantined")
	mustContain(t, s.Reason, "rct health test", "0x00")
	always(t, 2*time.Second, "nothing more is credited", func() bool { return len(tr.Seeds()) <= blocks })
	if n := len(onlyGood(t, tr, 0, flushBytes+blocks*blockBytes)); n < blocks-1 { // one may be surplus
		t.Errorf("%d seeds of %d good blocks", n, blocks)
	}
}

// onlyGood returns the seeds that the kernel was given. Each of them must be the hash of 2500
// bytes of G1 between two offsets, wherever its block began.
func onlyGood(t *testing.T, tr *trace, from, to int) []kit.Seed {
	t.Helper()
	fed := make([]byte, to)
	if _, err := io.ReadFull(good(), fed); err != nil {
		t.Fatal(err)
	}
	fine := map[string]bool{}
	for at := from; at+blockBytes <= to; at++ {
		sum := sha512.Sum512(fed[at:][:blockBytes])
		fine[string(sum[:])] = true
	}
	seeds := tr.Seeds()
	for i, seed := range seeds {
		if !fine[string(seed.Data)] {
			t.Errorf("seed %d is not the hash of 2500 good bytes", i)
		}
	}
	return seeds
}

// A bad spell does not switch a source off for good (FC-018), nor do zeros in its middle get
// anywhere (FC-073): the blocks with them are dropped, the source is tested anew and used again.
func TestFC018BadSpellPasses(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	const before, zeros, after = 2 * blockBytes, 1000, 20 * blockBytes
	b := newBench(t)
	g := good()
	b.feed(io.MultiReader(first(before, g), first(zeros, stuck(0)), first(after, g)), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
	d := b.start("--refill-interval", "1s")
	d.reaches("quarantined")
	d.reaches("active")
	n := len(tr.Seeds())
	tr.waitSeeds(n + 2)
	s := d.scrape()
	if events := s.entered("quarantined"); events > 3 { // reads may part the zeros
		t.Errorf("quarantined %v times by one bad spell", events)
	}
	onlyGood(t, tr, 0, before+after)
	d.atMost(0, "ERROR")
}

// A device that greets in plain text first (FC-093): dropped with the start-up test, then used.
func TestFC093Banner(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	banner := strings.Repeat("TRNG firmware 1.0 ready.\r\n", 40)
	b.feed(io.MultiReader(strings.NewReader(banner), good()), pace{})
	tr := b.underStrace("-P", b.random, "-e", "trace=ioctl,write")
	d := b.start("--refill-interval", "1s")
	d.reaches("quarantined")
	d.reaches("active")
	tr.waitSeeds(1)
	onlyGood(t, tr, 0, 20*blockBytes)
}

// A capture file is no source: it would end, or be looped.
func TestFC097RegularFile(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	fed := make([]byte, firstBytes+2*blockBytes)
	if _, err := io.ReadFull(good(), fed); err != nil {
		t.Fatal(err)
	}
	b.write(b.device, string(fed))
	b.refused(2, []string{b.device + " cannot be a source", "regular file", "hint: to test recorded data"})

	d := b.start("--allow-file-source", "--refill-interval", "1s")
	kit.Eventually(t, "the whole file is tested", func() bool { return d.scrape().of("fips_blocks_total", `,result="pass"`) >= 3 })
	always(t, 4*time.Second, "it is read once, and not from its start again", func() bool {
		s := d.scrape()
		return s.of("source_read_bytes_total", "") <= float64(len(fed)) && s.of("fips_blocks_total", `,result="pass"`) == 3
	})
	if n := d.scrape().of("entropy_added_bytes_total", ""); n > 3*64 {
		t.Errorf("%v bytes given to the kernel, want those of 3 blocks at most", n)
	}
	d.stop()
}
