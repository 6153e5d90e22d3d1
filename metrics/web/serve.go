//go:build !minimal

package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

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
