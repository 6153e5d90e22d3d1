//go:build !minimal

package web

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// land returns the page for a status.
func land(s *pool.Status) *httptest.ResponseRecorder {
	o := okOptions()
	o.Status = func() *pool.Status { return s }
	rec := httptest.NewRecorder()
	newHandler(o).ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
	return rec
}

func TestLandingPage(t *testing.T) {
	rec := land(testStatus())
	page := rec.Body.String()
	for _, want := range []string{
		"<title>hwrngd: ready</title>", "feeding from hwrng (virtio_rng.0), 51200 bits credited", "last 30\u00a0s ago", ">seeded<",
		"Source hwrng", `<span class="good">active</span> for 3` + "\u00a0h", "virtio_rng.0 /dev/hwrng", "4 of 8 bits a byte", "250000 bytes, 0 errors",
		"Source jitter", `<span class="bad">quarantined</span> for 5` + "\u00a0min: block failed: runs &lt;b&gt;", "read: input/output error",
		"RNDADDENTROPY: invalid argument", "Version 1.2.3&lt;script&gt;, process 4711, running for 2\u00a0days",
		`href="/metrics"`, `href="/-/ready"`, `href="/-/healthy"`, `name="viewport"`, "prefers-color-scheme: dark",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %s", want)
		}
	}
	// What a browser would fetch, and what the policy would keep from working.
	if found := regexp.MustCompile(`https?://|src=|<link|@import|url\(|<script`).FindString(page); found != "" {
		t.Errorf("page has %s", found)
	}
	if csp := rec.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("policy %q", csp)
	}
	if len(page) > 8<<10 {
		t.Errorf("page of %d bytes", len(page))
	}
}

func TestLandingPageOfTroubles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*pool.Status)
		want   []string
	}{
		{"no source", func(s *pool.Status) { s.Sources = nil }, []string{"<title>hwrngd: not ready</title>", "<p>no source is configured</p>"}},
		{"not seeded", func(s *pool.Status) { s.Credits = pool.Credits{CanCredit: true} }, []string{
			"not seeded: programs that need keys wait", "0 bits credited (the kernel", "generator is not seeded yet)", "<dd>0 bits</dd>",
		}},
		{"monitor", func(s *pool.Status) { s.Monitor = true }, []string{"off: monitor mode", "crediting nothing"}},
		{"no privilege", func(s *pool.Status) { s.Credits.CanCredit = false }, []string{"not possible: no CAP_SYS_ADMIN"}},
		{"starting", func(s *pool.Status) { s.Sources[0].State = "starting" }, []string{`<span class="warn">starting</span>`}},
		{"at rest", func(s *pool.Status) { s.Sources[1].State, s.Sources[1].Reason = "starting", source.AtRest }, []string{
			`<span class="rest">starting</span>`, source.AtRest,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := testStatus()
			c.change(s)
			page := land(s).Body.String()
			for _, want := range c.want {
				if !strings.Contains(page, want) {
					t.Errorf("page lacks %q:\n%s", want, page)
				}
			}
		})
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 s", 0: "0 s", 119 * time.Second: "119 s", 2 * time.Minute: "2 min",
		119 * time.Minute: "119 min", 2 * time.Hour: "2 h", 47 * time.Hour: "47 h", 48 * time.Hour: "2 days",
	} {
		if got := strings.ReplaceAll(roughly(d), "\u00a0", " "); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
