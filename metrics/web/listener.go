package web

import (
	"context"
	"errors"
	"net"
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
		l.server.failed(metrics.Listener)
		if !failing {
			l.server.log.Warn("metrics listener down, retrying", "address", l.address.text, "error", err)
			failing = true
		}
		l.status.Store(&Status{Address: l.address.text, Err: err}) // last, for who sees it may look for the others
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
	l.server.log.Info("metrics listener not up yet", "address", l.address.text, "reason", errUnseeded)
	l.status.Store(&Status{Address: l.address.text, Err: errUnseeded})
	select {
	case <-l.server.seeded:
	case <-ctx.Done():
	}
}

func (l *listener) bound(ln net.Listener) {
	l.status.Store(&Status{Address: l.address.text, Bound: ln.Addr().String()})
	l.server.log.Info("metrics listener up", "address", l.address.text, "bound", ln.Addr().String())
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
