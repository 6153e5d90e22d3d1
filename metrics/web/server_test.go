package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"testing/cryptotest"
	"time"
)

func TestPortTakenThenFreed(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	addr := other.Addr().String()

	s, log := newTestServer(t, okOptions())
	listen(t, s, addr)
	status := waitFor(t, s, 0, "failed", isFailing)
	if !errors.Is(status.Err, syscall.EADDRINUSE) {
		t.Errorf("error %v", status.Err)
	}
	other.Close()
	waitFor(t, s, 0, "bound", isBound)
	if body := get(t, newClient(t, "tcp", addr), "/metrics"); !strings.Contains(body, "hwrngd_ready") {
		t.Errorf("body %q", body)
	}
	if warn, info := log.count(slog.LevelWarn), log.count(slog.LevelInfo); warn != 1 || info != 1 {
		t.Errorf("%d warnings and %d infos, want one each", warn, info)
	}
}

func TestSetListeners(t *testing.T) {
	s, _ := newTestServer(t, okOptions())
	listen(t, s, "127.0.0.1:0", "[::1]:0", "127.0.0.1:0")
	if n := len(s.Listeners()); n != 2 {
		t.Fatalf("%d listeners, want 2: the third repeats the first", n)
	}
	kept := waitFor(t, s, 0, "bound", isBound)
	client := newClient(t, "tcp", kept.Bound)
	get(t, client, "/-/healthy")

	socket := t.TempDir() + "/s"
	listen(t, s, "unix:"+socket, "127.0.0.1:0")
	waitFor(t, s, 0, "bound", isBound)
	get(t, newClient(t, "unix", socket), "/-/healthy")
	if now := s.Listeners()[1]; now.Bound != kept.Bound {
		t.Errorf("kept listener moved from %s to %s", kept.Bound, now.Bound)
	}
	if kept := reusesConnection(t, client); kept != keepsConnections {
		t.Errorf("the connection of the kept listener was used again: %t", kept)
	}

	if err := s.SetListeners([]string{"127.0.0.1:0", "nonsense"}, ""); err == nil {
		t.Error("malformed address accepted")
	}
	if n := len(s.Listeners()); n != 2 {
		t.Errorf("a refused list left %d listeners, want the 2 from before", n)
	}

	listen(t, s)
	if n := len(s.Listeners()); n != 0 {
		t.Errorf("%d listeners left", n)
	}
	if _, err := client.Get("http://hwrngd/-/healthy"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("closed listener answered: %v", err)
	}
}

// reusesConnection reports whether a request goes through the connection of the one before.
func reusesConnection(t *testing.T, c *http.Client) bool {
	reused := false
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
	ctx := httptrace.WithClientTrace(context.Background(), trace)
	req, err := http.NewRequestWithContext(ctx, "GET", "http://hwrngd/-/healthy", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return reused
}

// A new address may want the port that an old one still holds.
func TestSetListenersSamePort(t *testing.T) {
	s, log := newTestServer(t, okOptions())
	listen(t, s, "127.0.0.1:0")
	first := waitFor(t, s, 0, "bound", isBound)
	listen(t, s, first.Bound)
	waitFor(t, s, 0, "bound", isBound)
	if log.count(slog.LevelWarn) != 0 {
		t.Error("the new listener opened before the old one had closed")
	}
}

func TestCloseLeavesHangingHandlerBehind(t *testing.T) {
	entered, hang := make(chan struct{}), make(chan struct{})
	o := okOptions()
	o.Metrics = showing(func() string {
		close(entered)
		<-hang
		return ""
	})
	s, _ := newTestServer(t, o)
	t.Cleanup(func() { close(hang) })
	listen(t, s, "127.0.0.1:0")
	status := waitFor(t, s, 0, "bound", isBound)
	failed := make(chan error)
	go func() {
		_, err := newClient(t, "tcp", status.Bound).Get("http://hwrngd/metrics")
		failed <- err
	}()
	<-entered
	start := time.Now()
	s.Close()
	if took := time.Since(start); took > 500*time.Millisecond {
		t.Errorf("Close took %v", took)
	}
	if err := <-failed; err == nil {
		t.Error("the hanging request was answered")
	}
}

func TestHugeHeaderIsRefused(t *testing.T) {
	s, _ := newTestServer(t, okOptions())
	listen(t, s, "127.0.0.1:0")
	status := waitFor(t, s, 0, "bound", isBound)
	conn, err := net.Dial("tcp", status.Bound)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: hwrngd\r\nX: %s\r\n\r\n", strings.Repeat("x", 16<<10))
	answer := make([]byte, 12)
	if _, err := conn.Read(answer); err != nil || string(answer) != "HTTP/1.1 431" {
		t.Errorf("answer %q, %v", answer, err)
	}
}

// The daemon serves before the kernel's generator is seeded. crypto/rand would block there.
func TestServingUsesNoRandomness(t *testing.T) {
	next := func() (b [16]byte) {
		rand.Read(b[:])
		return b
	}
	cryptotest.SetGlobalRandom(t, 1)
	want := next()

	cryptotest.SetGlobalRandom(t, 1)
	s, _ := newTestServer(t, okOptions())
	listen(t, s, "127.0.0.1:0", "unix:"+t.TempDir()+"/s")
	status := waitFor(t, s, 0, "bound", isBound)
	waitFor(t, s, 1, "bound", isBound)
	for _, path := range []string{"/", "/metrics", "/-/ready", "/-/healthy"} {
		get(t, newClient(t, "tcp", status.Bound), path)
	}
	s.Close()
	if got := next(); got != want {
		t.Error("crypto/rand was used between start and close")
	}
}
