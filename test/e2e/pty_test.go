package e2e

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// A character device behind a name that udev makes is unplugged, and plugged in again as another
// one: its reader gets the end of the file or an error, and the name leads elsewhere.
func TestCharacterDeviceUnplugged(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	plug := func() *kit.PTY {
		p := kit.NewPTY(t)
		if err := p.SetRaw(); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(p.Line, b.device); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(p.Master, good()) }() // ends when the master is closed
		return p
	}
	p := plug()
	d := b.start("--refill-interval", "1s")
	d.reaches("active")
	before := d.scrape().credited()
	kit.Eventually(t, "credit flows", func() bool { return d.scrape().credited() > before })

	p.Master.Close()
	s := d.reaches("starting")
	if !strings.Contains(s.Reason, "gone") && !strings.Contains(s.Reason, "input/output error") && !strings.Contains(s.Reason, "no such file") {
		t.Errorf("reason %q", s.Reason)
	}
	if err := os.Remove(b.device); err != nil {
		t.Fatal(err)
	}
	before = d.scrape().credited()
	plug()
	d.reaches("active")
	kit.Eventually(t, "credit flows again", func() bool { return d.scrape().credited() > before })
	d.atMost(0, "ERROR")
}
