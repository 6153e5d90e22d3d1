package respond

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pages are a few pages.
func pages(path string) (Page, bool) {
	switch path {
	case "/metrics":
		return Page{Type: "text/plain; version=0.0.4", Body: []byte("hwrngd_ready 1\n")}, true
	case "/-/ready":
		return Page{Unavailable: true, Type: "application/json", Body: []byte("{}\n")}, true
	}
	return Page{}, false
}

// pipes is a listener whose clients are the far ends of pipes.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// connect returns a client's end.
func (p pipes) connect() net.Conn {
	near, far := net.Pipe()
	p <- near
	return far
}

// serving starts a responder in a synctest bubble, until the test ends.
func serving(t *testing.T, pages Pages) pipes {
	ln := make(pipes)
	done := make(chan error)
	go func() { done <- Serve(context.Background(), ln, time.Second, pages) }()
	t.Cleanup(func() {
		ln.Close()
		if err := <-done; err != net.ErrClosed {
			t.Errorf("Serve returned %v", err)
		}
	})
	return ln
}

// exchange sends a request in pieces and returns the answer.
func exchange(conn net.Conn, pieces ...string) string {
	go func() {
		for _, p := range pieces {
			if _, err := io.WriteString(conn, p); err != nil {
				return
			}
		}
	}()
	answer, _ := io.ReadAll(conn) // until it is closed
	conn.Close()
	return string(answer)
}

func TestAnswers(t *testing.T) {
	const host = "Host: h\r\n"
	long := strings.Repeat("x", maxRequest)
	for _, test := range []struct {
		name   string
		pieces []string
		status int    // 0: no answer at all
		body   string // "": that of the status
	}{
		{"metrics", []string{"GET /metrics HTTP/1.1\r\n" + host + "\r\n"}, 200, "hwrngd_ready 1\n"},
		{"unavailable", []string{"GET /-/ready HTTP/1.1\r\n" + host + "\r\n"}, 503, "{}\n"},
		{"in pieces", []string{"GE", "T /metrics HTTP/1.1\r", "\n" + host + "\r", "\n"}, 200, "hwrngd_ready 1\n"},
		{"with a query", []string{"GET /metrics?name[]=x HTTP/1.1\r\n" + host + "\r\n"}, 200, "hwrngd_ready 1\n"},
		{"absolute form", []string{"GET http://h:1/metrics HTTP/1.1\r\n" + host + "\r\n"}, 200, "hwrngd_ready 1\n"},
		{"absolute form without a path", []string{"GET http://h HTTP/1.1\r\n" + host + "\r\n"}, 404, ""},
		{"absolute form with a query alone", []string{"GET http://h?x=/metrics HTTP/1.1\r\n" + host + "\r\n"}, 404, ""},
		{"HTTP/1.0 needs no host", []string{"GET /metrics HTTP/1.0\r\n\r\n"}, 200, "hwrngd_ready 1\n"},
		{"lines without CR", []string{"GET /metrics HTTP/1.0\nA: b\n\n"}, 200, "hwrngd_ready 1\n"},
		{"a second request is not read", []string{"GET /metrics HTTP/1.0\r\n\r\nGET /-/ready HTTP/1.0\r\n\r\n"}, 200, "hwrngd_ready 1\n"},
		{"unknown page", []string{"GET / HTTP/1.1\r\n" + host + "\r\n"}, 404, ""},
		{"no path is cleaned", []string{"GET /x/../metrics HTTP/1.1\r\n" + host + "\r\n"}, 404, ""},
		{"POST", []string{"POST /metrics HTTP/1.1\r\n" + host + "Content-Length: 2\r\n\r\nab"}, 405, ""},
		{"small letters", []string{"get /metrics HTTP/1.0\r\n\r\n"}, 405, ""},
		{"HTTP/2", []string{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}, 505, ""},
		{"HTTP/0.9", []string{"GET /metrics\r\n\r\n"}, 400, ""},
		{"no host", []string{"GET /metrics HTTP/1.1\r\n\r\n"}, 400, ""},
		{"two hosts", []string{"GET /metrics HTTP/1.1\r\n" + host + host + "\r\n"}, 400, ""},
		{"asterisk", []string{"GET * HTTP/1.0\r\n\r\n"}, 400, ""},
		{"two blanks", []string{"GET  /metrics HTTP/1.0\r\n\r\n"}, 400, ""},
		{"another protocol", []string{"\x16\x03\x01\x00\n\n"}, 400, ""},
		{"a name with a blank", []string{"GET /metrics HTTP/1.0\r\nA : b\r\n\r\n"}, 400, ""},
		{"a folded line", []string{"GET /metrics HTTP/1.0\r\nA: b\r\n c\r\n\r\n"}, 400, ""},
		{"the largest that is taken", []string{"GET /metrics HTTP/1.0\r\nA: " + long[:maxRequest-len("GET /metrics HTTP/1.0\r\nA: \r\n\r\n")] + "\r\n\r\n"}, 200, "hwrngd_ready 1\n"},
		{"one byte more", []string{"GET /metrics HTTP/1.0\r\nA: " + long[:1+maxRequest-len("GET /metrics HTTP/1.0\r\nA: \r\n\r\n")] + "\r\n\r\n"}, 431, ""},
		{"much too long", []string{"GET /" + strings.Repeat(long, 8) + " HTTP/1.0\r\n\r\n"}, 431, ""},
		{"cut off", []string{"GET /metrics HTTP/1.1\r\n"}, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := exchange(serving(t, pages).connect(), test.pieces...)
				if test.status == 0 {
					if answer != "" {
						t.Errorf("answered %q", answer)
					}
					return
				}
				resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
				if err != nil {
					t.Fatalf("%v in %q", err, answer)
				}
				body, err := io.ReadAll(resp.Body)
				want := test.body
				if want == "" {
					want = resp.Status + "\n"
				}
				if err != nil || resp.StatusCode != test.status || string(body) != want || !resp.Close {
					t.Errorf("got %q, %v", answer, err)
				}
				if resp.Status != fmt.Sprintf("%d %s", test.status, http.StatusText(test.status)) {
					t.Errorf("status %q", resp.Status)
				}
				if at, err := http.ParseTime(resp.Header.Get("Date")); err != nil || time.Since(at) > 5*time.Second {
					t.Errorf("date %q: %v", resp.Header.Get("Date"), err)
				}
				if allow := resp.Header.Get("Allow"); (allow == "GET, HEAD") != (test.status == 405) {
					t.Errorf("Allow: %q", allow)
				}
			})
		})
	}
}

// TestHead: the same header, and no body.
func TestHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := serving(t, pages)
		full := exchange(ln.connect(), "GET /metrics HTTP/1.0\r\n\r\n")
		head := exchange(ln.connect(), "HEAD /metrics HTTP/1.0\r\n\r\n")
		if want := strings.TrimSuffix(full, "hwrngd_ready 1\n"); head != want {
			t.Errorf("got %q, want %q", head, want)
		}
	})
}

// TestSlowClients: each has its time and no more, whatever it does, and the next one is served.
func TestSlowClients(t *testing.T) {
	for name, client := range map[string]func(net.Conn){
		"says nothing":        func(c net.Conn) { _, _ = io.ReadAll(c) },
		"says a byte a while": func(c net.Conn) { drip(c, 100*time.Millisecond) },
		"does not read":       func(c net.Conn) { _, _ = io.WriteString(c, "GET /metrics HTTP/1.0\r\n\r\n") },
		"sends for ever": func(c net.Conn) {
			go func() { _, _ = io.Copy(io.Discard, c) }()
			drip(c, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln := serving(t, pages)
				slow := ln.connect()
				var done sync.WaitGroup
				defer done.Wait()
				defer slow.Close()
				begin := time.Now()
				done.Go(func() { client(slow) })
				answer := exchange(ln.connect(), "GET /metrics HTTP/1.0\r\n\r\n")
				if !strings.HasPrefix(answer, "HTTP/1.1 200 OK\r\n") {
					t.Errorf("the next client got %q", answer)
				}
				if took := time.Since(begin); took > readLimit+writeLimit {
					t.Errorf("the next client waited %v", took)
				}
			})
		})
	}
}

// drip sends a header without an end.
func drip(c net.Conn, pause time.Duration) {
	for err := error(nil); err == nil; time.Sleep(pause) {
		_, err = io.WriteString(c, "x")
	}
}

// TestEndInTheMiddle: a request that hangs is cut off when the responder ends.
func TestEndInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ln, release := make(pipes), make(chan struct{})
		go func() {
			_ = Serve(ctx, ln, time.Second, func(string) (Page, bool) {
				<-release
				return Page{}, false
			})
		}()
		conn := ln.connect()
		begin := time.Now()
		time.AfterFunc(time.Minute, cancel)
		if answer := exchange(conn, "GET /metrics HTTP/1.0\r\n\r\n"); answer != "" || time.Since(begin) != time.Minute+time.Second {
			t.Errorf("answer %q after %v", answer, time.Since(begin))
		}
		close(release)
		ln.Close()
	})
}
