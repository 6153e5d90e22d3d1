package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K5: several generators behind one device, and their selection. All of it happens in a fake
// sysfs, where a written name stays what was written; the real one is never touched.

func (b *bench) generators(current, available string) {
	b.t.Helper()
	b.tree(b.sysfs, classDir+"/rng_current "+current+`\n
		`+classDir+"/rng_available "+available+` \n
		`+classDir+`/rng_selected 0\n`)
}

func (b *bench) current() string {
	b.t.Helper()
	return strings.TrimSpace(kit.ReadFile(b.t, filepath.Join(b.sysfs, classDir, "rng_current")))
}

// A bad generator is current, the user wants the other one.
func TestFC025Select(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.generators("ccp-1-rng", "ccp-1-rng omap-rng")
	b.feed(good(), pace{})
	d := b.start("--hwrng-select", "omap-rng")
	if s := d.reaches("active"); s.Driver != "omap-rng" {
		t.Errorf("driver %q, want omap-rng", s.Driver)
	}
	if now := b.current(); now != "omap-rng" {
		t.Errorf("rng_current is %q, want omap-rng", now)
	}
	d.logged("selected generator", "from=ccp-1-rng", "to=omap-rng")
	kit.Eventually(t, "the metrics name it", func() bool { return d.scrape()[`hwrngd_hwrng_current_info{rng="omap-rng"}`] == 1 })
	d.stop()
	// Nobody had chosen before: an empty name lets the kernel choose again.
	if now := b.current(); now != "" {
		t.Errorf("after the stop rng_current was set to %q, want the empty name", now)
	}
}

// By default the choice stays as it is: the file is not even opened for writing.
func TestFC025KeepWritesNothing(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.generators("ccp-1-rng", "ccp-1-rng omap-rng")
	b.feed(good(), pace{})
	tr := b.underStrace("-P", filepath.Join(b.sysfs, classDir, "rng_current"), "-e", "trace=?open,openat")
	d := b.start()
	d.reaches("active")
	d.stop()
	if opens := tr.Calls("rng_current"); len(opens) == 0 {
		t.Error("rng_current was never read")
	}
	if opens := tr.Calls("O_WRONLY"); len(opens) != 0 {
		t.Errorf("written: %q", opens[0].Text)
	}
}

// A TPM stalls some machines while it works: the best generator is another one, if there is one.
func TestFC022BestIsNoTPM(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.generators("tpm-rng-0", "tpm-rng-0 omap-rng")
	b.feed(good(), pace{})
	d := b.start("--hwrng-select", "best")
	if s := d.reaches("active"); s.Driver != "omap-rng" || b.current() != "omap-rng" {
		t.Errorf("driver %q, rng_current %q, want omap-rng", s.Driver, b.current())
	}
}

// Between two credits nothing is read of a device, a TPM least of all.
func TestFC022NoReadsWithoutNeed(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.generators("tpm-rng-0", "tpm-rng-0")
	b.feed(good(), pace{})
	d := b.start()
	d.credits(1)
	always(t, time.Second, "at most a surplus block is read", func() bool {
		return d.source().BytesRead <= firstBytes+blockBytes
	})
	if kind := d.source().Kind; kind != "tpm" {
		t.Errorf("kind %q, want tpm", kind)
	}
}

// A name that is nearly right gets no guess, but an answer that helps.
func TestFC053NameWithoutIndex(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.generators("ccp-1-rng", "ccp-1-rng tpm-rng-0")
	b.feed(good(), pace{})
	d := b.start("--hwrng-select", "tpm-rng")
	kit.Eventually(t, "a reason", func() bool { return d.source().Reason != "" })
	mustContain(t, d.source().Reason, "tpm-rng is not there", "ccp-1-rng, tpm-rng-0")
	d.logged("WARN", "did you mean tpm-rng-0?")
	always(t, time.Second, "nothing is read or selected", func() bool {
		return d.source().BytesRead == 0 && b.current() == "ccp-1-rng"
	})
}

// The exact text form of the kernel's list: a blank before the newline, and a word for nothing.
func TestFC076TextForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, files string
		want        []string
		not         string
	}{
		{"three", `rng_current a.rng\n` + "\n" + `rng_available a.rng tpm-rng-0 virtio_rng.0 \n`, []string{"a.rng", "tpm-rng-0", "virtio_rng.0", "usable"}, "none"},
		{"none as a word", `rng_current none\n` + "\n" + `rng_available none\n`, []string{"no driver behind it", "rng_current is none", "rng_available is empty"}, "  none  "},
		{"none beside a name", `rng_current a.rng\n` + "\n" + `rng_available a.rng none \n`, []string{"a.rng", "usable"}, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.tree(filepath.Join(b.sysfs, classDir), c.files)
			b.feed(good(), pace{})
			r := b.exec("list")
			mustContain(t, r.stdout, c.want...)
			if strings.Contains(r.stdout, c.not) {
				t.Errorf("%q is listed:\n%s", c.not, r.stdout)
			}
		})
	}
}

// Touching some generators hangs the machine: one that is denied is neither opened nor read.
func TestFC094DeniedIsNotTouched(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.generators("bad-rng", "bad-rng good-rng")
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.device, "-e", "trace=?open,openat,read,?poll,ppoll,ioctl")
	d := b.start("--hwrng-deny", "bad-rng")
	s := d.reaches("disabled")
	mustContain(t, s.Reason, "bad-rng is denied by configuration")
	always(t, 3*time.Second, "it stays disabled", func() bool { return d.source().State == "disabled" })
	if calls := tr.Calls(); len(calls) != 0 {
		t.Errorf("the device was touched: %q", calls[0].Text)
	}
	mustContain(t, b.exec("list", "--hwrng-deny", "bad-rng").stdout, "denied by configuration")
	d.atMost(1, "WARN ERROR")

	// The kernel switches to another one, as after an unplug.
	b.generators("good-rng", "good-rng")
	if s := d.reaches("active"); s.Driver != "good-rng" {
		t.Errorf("driver %q, want good-rng", s.Driver)
	}
}
