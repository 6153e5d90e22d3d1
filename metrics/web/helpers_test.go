package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// logBuffer collects log lines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// count returns how many lines of a level there are.
func (b *logBuffer) count(level slog.Level) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.buf.String(), "level="+level.String())
}

// testStatus is that of a daemon with one source in use and one that failed.
func testStatus() *pool.Status {
	now := time.Now()
	return &pool.Status{
		Version: "1.2.3<script>", PID: 4711, Started: now.Add(-50 * time.Hour), Refill: time.Minute,
		Credits: pool.Credits{
			CanCredit: true, CRNGReady: true, Bits: map[string]uint64{"hwrng": 51200}, LastCredit: now.Add(-30 * time.Second),
			LastError: "RNDADDENTROPY: invalid argument",
		},
		Sources: []source.Snapshot{
			{
				Name: "hwrng", Kind: source.KindHWRNG, Device: "/dev/hwrng", Driver: "virtio_rng.0", State: "active",
				Since: now.Add(-3 * time.Hour), MinEntropy: 4, ClaimOrigin: "default", BytesRead: 250000,
			},
			{
				Name: "jitter", Kind: source.KindJitter, State: "quarantined", Since: now.Add(-5 * time.Minute), Reason: "block failed: runs <b>",
				MinEntropy: 0.5, ClaimOrigin: "measured", BytesRead: 2500, ReadErrors: 3, LastError: "read: input/output error",
			},
		},
	}
}

func okOptions() Options {
	return Options{
		Metrics: showing(func() string { return "hwrngd_ready 1\n" }),
		Healthy: func() bool { return true },
		Ready:   func() (bool, string) { return true, "" },
		Status:  testStatus,
		Logger:  slog.New(slog.DiscardHandler),
		Failed:  func(metrics.Output) {},
	}
}

// newTestServer returns a server that retries within milliseconds, and its log.
func newTestServer(t *testing.T, o Options) (*Server, *logBuffer) {
	t.Helper()
	log := new(logBuffer)
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	s := New(o)
	s.firstRetry, s.lastRetry = 2*time.Millisecond, 5*time.Millisecond
	t.Cleanup(s.Close)
	return s, log
}

func listen(t *testing.T, s *Server, addresses ...string) {
	t.Helper()
	if err := s.SetListeners(addresses, ""); err != nil {
		t.Fatal(err)
	}
}

// waitFor waits until the status of listener i satisfies ok.
func waitFor(t *testing.T, s *Server, i int, what string, ok func(Status) bool) Status {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		status := s.Listeners()[i]
		if ok(status) {
			return status
		}
		if time.Now().After(deadline) {
			t.Fatalf("listener %d never %s: %+v", i, what, status)
		}
		time.Sleep(time.Millisecond)
	}
}

func isBound(s Status) bool   { return s.Bound != "" }
func isFailing(s Status) bool { return s.Err != nil }

// newClient returns a client that connects to addr whatever the URL says.
func newClient(t *testing.T, network, addr string) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// get fetches a page and returns its body.
func get(t *testing.T, c *http.Client, path string) string {
	t.Helper()
	resp, err := c.Get("http://hwrngd" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
