package e2e

import (
	"net/http"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// A daemon that is scraped for weeks takes no more memory than one that was scraped for an hour.
func TestScrapesLeaveNoMemory(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.silence()
	d := b.start()
	ask := func(n int) {
		t.Helper()
		for range n {
			if code, _ := d.page("/metrics"); code != http.StatusOK {
				t.Fatalf("code %d", code)
			}
		}
	}
	const (
		enough = 500    // after which the heap has its size
		many   = 10_000 // a week of one every minute
		limit  = 32 << 20
	)
	ask(1)
	atFirst := d.memory("VmRSS")
	ask(enough)
	before := d.memory("VmRSS")
	ask(many - enough)
	after := d.memory("VmRSS")
	t.Logf("%d kB after the first scrape, %d kB after %d, %d kB after %d", atFirst>>10, before>>10, enough, after>>10, many)
	if after > before+(2<<20) || after > limit {
		t.Errorf("memory grew by %d kB to %d kB, of which %d kB are allowed", (after-before)>>10, after>>10, limit>>10)
	}
}
