//go:build !minimal

package web

import (
	"net/http"

	"github.com/hwrngd/hwrngd/metrics/web/respond"
)

// Metrics serves the metrics.
type Metrics = http.Handler

// handler serves all pages.
type handler = http.Handler

// newHandler returns the handler of all pages. The method in the patterns makes the mux answer
// anything but GET and HEAD with 405.
func newHandler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", o.Metrics)
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { serve(w, healthyPage(o.Healthy())) })
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) { serve(w, readyPage(o.Ready())) })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { serveLanding(w, o.Status()) })
	return hardened(mux)
}

// hardened adds headers that keep a browser from making more of a page than it is.
func hardened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		const policy = "Content-Security-Policy"
		if w.Header().Get(policy) == "" { // the web configuration may have set it
			w.Header().Set(policy, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		}
		next.ServeHTTP(w, r)
	})
}

// serve shows a page. What it says may be outdated a moment later.
func serve(w http.ResponseWriter, p respond.Page) {
	w.Header().Set("Content-Type", p.Type)
	w.Header().Set("Cache-Control", "no-store")
	if p.Unavailable {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(p.Body) // a client that went away misses nothing
}
