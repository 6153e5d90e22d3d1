package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// fakeListener has no clients. It ends when closed or when broken is closed.
type fakeListener struct {
	broken, closed chan struct{}
}

func (l *fakeListener) Accept() (net.Conn, error) {
	select {
	case <-l.broken:
		return nil, errors.New("socket broke")
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *fakeListener) Close() error   { close(l.closed); return nil }
func (l *fakeListener) Addr() net.Addr { return &net.TCPAddr{Port: 9779} }

func newFakeListener() *fakeListener {
	return &fakeListener{broken: make(chan struct{}), closed: make(chan struct{})}
}

func TestRetryDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newTestServer(t, okOptions())
		s.firstRetry, s.lastRetry = firstRetry, lastRetry

		ln := newFakeListener()
		var attempts []time.Time
		s.bind = func(context.Context, address) (net.Listener, error) {
			attempts = append(attempts, time.Now())
			if len(attempts) <= 7 {
				return nil, &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
			}
			return ln, nil
		}
		listen(t, s, "127.0.0.1:9779")

		time.Sleep(10 * time.Second) // in the middle of the series
		synctest.Wait()
		if st := s.Listeners()[0]; !errors.Is(st.Err, syscall.EADDRINUSE) || st.Bound != "" {
			t.Errorf("while the port is taken: %+v", st)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if st := s.Listeners()[0]; st.Err != nil || st.Bound != ":9779" {
			t.Errorf("when the port is free: %+v", st)
		}
		var delays []time.Duration
		for i := 1; i < len(attempts); i++ {
			delays = append(delays, attempts[i].Sub(attempts[i-1]))
		}
		want := []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 30e9, 30e9}
		if !slices.Equal(delays, want) {
			t.Errorf("delays %v, want %v", delays, want)
		}
		if warn, info := log.count(slog.LevelWarn), log.count(slog.LevelInfo); warn != 1 || info != 1 {
			t.Errorf("%d warnings and %d infos, want one each", warn, info)
		}
		s.Close()
	})
}

func TestBrokenSocketIsReopenedSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newTestServer(t, okOptions())
		s.firstRetry, s.lastRetry = firstRetry, lastRetry

		first, opened := newFakeListener(), new(atomic.Int32)
		s.bind = func(context.Context, address) (net.Listener, error) {
			if opened.Add(1) == 1 {
				return first, nil
			}
			return newFakeListener(), nil
		}
		listen(t, s, "127.0.0.1:9779")
		synctest.Wait()
		close(first.broken)
		synctest.Wait()
		if st := s.Listeners()[0]; st.Err == nil || errors.Is(st.Err, http.ErrServerClosed) {
			t.Errorf("after the break: %+v", st)
		}
		time.Sleep(lastRetry - time.Nanosecond)
		synctest.Wait()
		if opened.Load() != 1 {
			t.Error("reopened too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if opened.Load() != 2 || s.Listeners()[0].Err != nil {
			t.Error("not reopened")
		}
		if warn, info := log.count(slog.LevelWarn), log.count(slog.LevelInfo); warn != 1 || info != 2 {
			t.Errorf("%d warnings and %d infos, want 1 and 2", warn, info)
		}
		s.Close()
	})
}

func TestCloseEndsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newTestServer(t, okOptions())
		s.firstRetry, s.lastRetry = time.Hour, time.Hour
		s.bind = func(context.Context, address) (net.Listener, error) { return nil, syscall.EADDRNOTAVAIL }
		listen(t, s, "192.0.2.1:9779")
		synctest.Wait()
		start := time.Now()
		s.Close()
		if took := time.Since(start); took > 0 {
			t.Errorf("Close took %v", took)
		}
		listen(t, s, "192.0.2.2:9779")
		if got := s.Listeners()[0].Address; got != "192.0.2.1:9779" {
			t.Errorf("a closed server opened %s", got)
		}
	})
}

func TestConnectionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clients := make(chan net.Conn, 3)
		ln := limitConnections(pipeListener{clients}, 1)
		accepted := make(chan net.Conn)
		go func() {
			for {
				conn, err := ln.Accept()
				if err != nil {
					close(accepted)
					return
				}
				accepted <- conn
			}
		}()
		for range 3 {
			near, far := net.Pipe()
			defer far.Close()
			clients <- near
		}
		first := <-accepted
		synctest.Wait()
		select {
		case <-accepted:
			t.Fatal("second connection accepted beside the first")
		default:
		}
		first.Close()
		first.Close() // net/http closes twice at times: that must not free two slots
		<-accepted
		synctest.Wait()
		if len(clients) != 1 {
			t.Fatalf("%d connections left waiting, want 1", len(clients))
		}
		ln.Close()
		if _, open := <-accepted; open {
			t.Error("accepted a connection after Close")
		}
	})
}

// pipeListener accepts connections from a channel.
type pipeListener struct{ conns chan net.Conn }

func (l pipeListener) Accept() (net.Conn, error) { return <-l.conns, nil }
func (l pipeListener) Close() error              { return nil }
func (l pipeListener) Addr() net.Addr            { return &net.TCPAddr{} }
