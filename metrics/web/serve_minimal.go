//go:build minimal

package web

import (
	"bytes"
	"context"
	"io"
	"net"
	"time"

	"github.com/hwrngd/hwrngd/metrics/text"
	"github.com/hwrngd/hwrngd/metrics/web/respond"
)

// Metrics writes the metrics.
type Metrics = func(io.Writer) error

// handler knows all pages. The minimal build has no landing page.
type handler = respond.Pages

func newHandler(o Options) handler {
	return func(path string) (respond.Page, bool) {
		switch path {
		case "/metrics":
			var b bytes.Buffer
			err := o.Metrics(&b)
			return respond.Page{Unavailable: err != nil, Type: text.ContentType, Body: b.Bytes()}, true
		case "/-/healthy":
			return healthyPage(o.Healthy()), true
		case "/-/ready":
			return readyPage(o.Ready()), true
		}
		return respond.Page{}, false
	}
}

// serve serves until ctx is done or the socket breaks.
func (l *listener) serve(ctx context.Context, ln net.Listener) error {
	broken := make(chan error, 1)
	go func() { broken <- respond.Serve(ctx, ln, drainTime, l.server.handler) }()
	select {
	case err := <-broken:
		ln.Close()
		return err
	case <-ctx.Done():
	}
	ln.Close()
	select {
	case <-broken:
	case <-time.After(2 * drainTime): // the page hangs
	}
	return ctx.Err()
}
