package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
)

// listener keeps one address bound and served until it is stopped.
type listener struct {
	address address
	server  *Server
	status  atomic.Pointer[Status]
	stop    context.CancelFunc
	done    chan struct{} // closed when the socket and all connections are
}

// start starts a listener. It has an http.Server of its own, so that closing it also closes the
// connections that came through it.
func (s *Server) start(a address) *listener {
	ctx, stop := context.WithCancel(context.Background())
	l := &listener{address: a, server: s, stop: stop, done: make(chan struct{})}
	l.status.Store(&Status{Address: a.text})
	go l.run(ctx)
	return l
}

// stopAll stops listeners side by side and waits until their sockets are free.
func stopAll(listeners []*listener) {
	for _, l := range listeners {
		l.stop()
	}
	for _, l := range listeners {
		<-l.done
	}
}

// run binds and serves, again and again if need be: the port may be taken, the interface may get
// its address late, the folder of a socket may not be there yet. A series of failures makes one
// log line, for it may last for days.
func (l *listener) run(ctx context.Context) {
	defer close(l.done)
	delay, failing := l.server.firstRetry, false
	if l.address.config != "" {
		l.awaitSeed(ctx)
	}
	for ctx.Err() == nil {
		ln, err := l.server.bind(ctx, l.address)
		if err == nil {
			l.bound(ln)
			err = l.serve(ctx, ln)
			// Sockets do not break by themselves: what broke this one may do so again at once.
			delay, failing = l.server.lastRetry, false
		}
		if ctx.Err() != nil {
			return
		}
		l.status.Store(&Status{Address: l.address.text, Err: err})
		l.server.failed(metrics.Listener)
		if !failing {
			l.server.log.Warn("metrics listener down, retrying", "address", l.address.text, "error", err)
			failing = true
		}
		sleep(ctx, delay)
		delay = min(2*delay, l.server.lastRetry)
	}
}

// errUnseeded is why a listener with a web configuration is not bound yet.
var errUnseeded = errors.New("waiting until the kernel's generator is seeded, which TLS needs")

// awaitSeed waits until TLS can work without waiting for the kernel.
func (l *listener) awaitSeed(ctx context.Context) {
	select {
	case <-l.server.seeded:
		return
	default:
	}
	l.status.Store(&Status{Address: l.address.text, Err: errUnseeded})
	l.server.log.Info("metrics listener not up yet", "address", l.address.text, "reason", errUnseeded)
	select {
	case <-l.server.seeded:
	case <-ctx.Done():
	}
}

func (l *listener) bound(ln net.Listener) {
	l.status.Store(&Status{Address: l.address.text, Bound: ln.Addr().String()})
	l.server.log.Info("metrics listener up", "address", l.address.text, "bound", ln.Addr().String())
}

// serve serves until ctx is done or the socket breaks.
func (l *listener) serve(ctx context.Context, ln net.Listener) error {
	srv := newHTTPServer(l.server.handler, l.server.log)
	broken := make(chan error, 1)
	serve := srv.Serve
	if l.address.config != "" {
		serve = func(ln net.Listener) error { return l.serveConfigured(srv, ln) }
	}
	go func() { broken <- serve(ln) }()
	select {
	case err := <-broken:
		srv.Close()
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if srv.Shutdown(drain) != nil {
		srv.Close()
	}
	<-broken // only now the socket is free for certain
	return ctx.Err()
}

// newHTTPServer returns a server for clients that may be slow or hostile.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       2 * time.Minute, // above the usual scrape interval, so that connections are used again
		MaxHeaderBytes:    8 << 10,
		// What net/http reports here comes from clients and may repeat without bound.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
