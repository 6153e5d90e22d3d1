package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// The textfile alone, without any listener: it holds what a scrape would but for foreign names, and
// stays after the end with what was true then.
func TestTextfile(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.metrics = []string{"off"}
	b.feed(good(), pace{})
	path := filepath.Join(b.dir, "hwrngd.prom")
	d := b.start("--metrics-textfile", path)
	d.reaches("active")
	kit.Eventually(t, "the file", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
	d.logged("first credit")
	d.stop()
	text := kit.ReadFile(t, path)
	var s scrape
	s, err := kit.ParseScrape(text)
	if err != nil || s.credited() < 512 {
		t.Errorf("%v bits credited by the file, %v", s.credited(), err)
	}
	for series := range s {
		if !strings.HasPrefix(series, "hwrngd_") || strings.HasPrefix(series, "hwrngd_kernel_entropy") {
			t.Errorf("series %s in the file", series)
		}
	}
	d.atMost(0, "WARN ERROR")
}

// A folder that is not there and a disk that is full cost the file only, and only until they are mended.
func TestTextfileTroubles(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	for _, c := range []struct {
		name, log     string
		prepare, mend func(dir string) error
	}{
		{
			"missing folder", "no such file or directory",
			func(string) error { return nil },
			func(dir string) error { return os.Mkdir(dir, 0o755) },
		},
		{
			"full disk", "no space left on device",
			func(dir string) error {
				if err := os.Mkdir(dir, 0o755); err != nil {
					return err
				}
				return syscall.Mount("none", dir, "tmpfs", 0, "size=4k")
			},
			func(dir string) error { return syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=1m") },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.feed(good(), pace{})
			dir := filepath.Join(b.dir, "textfiles")
			if err := c.prepare(dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
			d := b.start("--refill-interval", "1s", "--metrics-textfile", filepath.Join(dir, "h.prom"))
			d.logged("WARN", "metrics file not written", c.log)
			s := d.credits(2)
			s.mustBe(t, map[string]float64{`hwrngd_metrics_export_errors_total{output="textfile"}`: 1, "hwrngd_ready": 1})
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			d.atMost(1, "WARN ERROR")
			if err := c.mend(dir); err != nil {
				t.Fatal(err)
			}
			d.logged("INFO", "metrics file written again")
			text, err := os.ReadFile(filepath.Join(dir, "h.prom"))
			if s, bad := kit.ParseScrape(string(text)); err != nil || bad != nil || s["hwrngd_ready"] != 1 {
				t.Errorf("the file, %v, %v: %s", err, bad, text)
			}
			d.stopsInTime()
		})
	}
}
