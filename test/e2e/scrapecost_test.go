package e2e

import (
	"net/http"
	"testing"
)

// A daemon that is scraped for weeks takes no more memory than one that was scraped for an hour.
func TestScrapesLeaveNoMemory(t *testing.T) {
	t.Parallel()
	needRoot(t)
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
	const enough = 300 // after which the heap has its size
	ask(enough)
	before := d.memory("VmRSS")
	ask(10 * enough)
	after := d.memory("VmRSS")
	t.Logf("%d kB after %d scrapes, %d kB after %d", before>>10, enough, after>>10, 11*enough)
	if after > before+(2<<20) {
		t.Errorf("memory grew by %d kB", (after-before)>>10)
	}
}
