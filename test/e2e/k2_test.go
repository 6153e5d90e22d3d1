package e2e

import (
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K2: rights that are missing.

// Without CAP_SYS_ADMIN, as in a container.
func TestFC008CannotCredit(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	t.Run("says so", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.restrict = []string{noAdmin}
		b.feed(good(), pace{})
		d := b.start("--refill-interval", "1s")
		d.reaches("active")
		kit.Eventually(t, "several blocks tested", func() bool {
			return d.scrape().of("fips_blocks_total", `,result="pass"`) >= 3
		})
		s := d.scrape()
		if s.credited() != 0 || s.of("entropy_added_bytes_total", "") != 0 {
			t.Errorf("%v bits credited, %v bytes added, want nothing", s.credited(), s.of("entropy_added_bytes_total", ""))
		}
		if lines := d.lines("ERROR"); len(lines) != 1 || !strings.Contains(lines[0], "cannot credit") || !strings.Contains(lines[0], "CAP_SYS_ADMIN") {
			t.Errorf("want one error that names the capability, got %q", lines)
		}
		if d.status().Feeding.CanCredit {
			t.Error("status says that it can credit")
		}
		// An attempt a minute at most: one in this run.
		if n := s[`hwrngd_pool_ioctl_errors_total{op="add_entropy",reason="eperm"}`]; n > 1 {
			t.Errorf("%v attempts to credit, want at most 1", n)
		}
		mustContain(t, b.exec("status").stdout, "CAP_SYS_ADMIN")
	})
	t.Run("mixes if asked", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.restrict = []string{noAdmin}
		b.feed(good(), pace{})
		d := b.start("--refill-interval", "1s", "--mix-uncredited")
		s := d.credits(2)
		if s.credited() != 0 {
			t.Errorf("%v bits credited for plain writes, want 0", s.credited())
		}
	})
}

// A device filter answers EPERM although the modes look fine.
func TestFC067OpenRefused(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	t.Run("source", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.feed(good(), pace{})
		b.underStrace("-P", b.device, "-e", "trace=?open,openat", "-e", "inject=?open,openat:error=EPERM")
		d := b.start()
		kit.Eventually(t, "a reason", func() bool { return d.source().Reason != "" })
		mustContain(t, d.source().Reason, b.device, "operation not permitted")
		if s := d.reaches("starting"); s.BytesRead != 0 {
			t.Errorf("%d bytes read of a device that cannot be opened", s.BytesRead)
		}
		d.atMost(1, "WARN ERROR")
	})
	t.Run("sink", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.feed(good(), pace{})
		b.underStrace("-P", b.random, "-e", "trace=?open,openat", "-e", "inject=?open,openat:error=EPERM")
		b.refused(77, []string{"/dev/random", "operation not permitted", "hint: a device filter"})
	})
}

// An unprivileged user learns what is missing, whatever that is.
func TestUnprivilegedUser(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.uid = 65534
	r := b.exec("run", "--once")
	// The kernel of this machine is ready, so --once has nothing to do: it neither needs the
	// right to credit nor the runtime directory.
	if r.code != 0 {
		t.Errorf("run --once: exit code %d, want 0:\n%s", r.code, r.stderr)
	}
	b.write(b.config, "")
	mustChmod(t, b.config, 0o600)
	b.refused(77, []string{b.config, "permission denied", "hint: run as root, or make the file readable"})
}
