//go:build !minimal

package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/hwrngd/hwrngd/metrics"
)

// CheckConfig tells what is wrong with a web configuration: a file of Prometheus' exporter-toolkit
// that sets up TLS, client certificates, passwords, a rate limit and HTTP headers. It also loads the
// keys and certificates that the file names.
func CheckConfig(path string) error {
	if err := toolkit.Validate(path); err != nil {
		// The YAML library writes a line for each mistake.
		return fmt.Errorf("web configuration %s: %s", path, strings.ReplaceAll(err.Error(), "\n ", ""))
	}
	return nil
}

// serveConfigured serves by the web configuration of the listener's address. The file and what it
// names are read again for each connection and request, so that renewed certificates need no reload.
func (l *listener) serveConfigured(srv *http.Server, ln net.Listener) error {
	defer ln.Close() // a file that went bad in the meantime ends it before srv knows ln
	watch := &configWatch{l: l}
	srv.ConnState = watch.connState
	flags := &toolkit.FlagConfig{WebConfigFile: &l.address.config}
	// What the toolkit says comes for each request of a client and may repeat without bound.
	return toolkit.Serve(ln, srv, flags, slog.New(slog.DiscardHandler))
}

// configWatch looks whether the web configuration is still of use when a client comes, for that is
// when the toolkit reads it, and the client alone would hear about it.
type configWatch struct {
	l *listener

	mu      sync.Mutex // guards what follows
	looked  time.Time
	failing bool
}

// connState is told of new connections and of requests on old ones.
func (w *configWatch) connState(_ net.Conn, state http.ConnState) {
	if state != http.StateNew && state != http.StateActive {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.looked) >= w.l.server.lookEvery {
		w.looked = time.Now()
		w.look()
	}
}

func (w *configWatch) look() {
	server, address := w.l.server, w.l.address
	err := CheckConfig(address.config)
	switch {
	case err != nil:
		server.failed(metrics.WebConfig)
		server.log.Warn("clients are turned away until the web configuration can be used", "address", address.text, "error", err)
	case w.failing:
		server.log.Info("the web configuration can be used again", "address", address.text)
	}
	w.failing = err != nil
}
