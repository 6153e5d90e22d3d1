package web

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
)

// landingPage is all that / shows. It loads nothing, so it works on any browser in any network.
const landingPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hwrngd</title>
<style>
body { font: 1.1em/1.5 sans-serif; max-width: 34em; margin: 0 auto; padding: 1em; color-scheme: light dark }
a { display: inline-block; padding: .3em 0 }
</style>
</head>
<body>
<h1>hwrngd</h1>
<p>Tests hardware random number generators and seeds the kernel.</p>
<p>Version %s</p>
<ul>
<li><a href="/metrics">Metrics</a> for Prometheus</li>
<li><a href="/-/ready">Ready</a>: is the kernel seeded and a source active?</li>
<li><a href="/-/healthy">Healthy</a>: does the daemon run?</li>
</ul>
</body>
</html>
`

// newHandler returns the handler of all pages. The method in the patterns makes the mux answer
// anything but GET and HEAD with 405.
func newHandler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", o.Metrics)
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { serveHealthy(w, o.Healthy()) })
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) { serveReady(w, o.Ready) })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { serveLanding(w, o.Version) })
	return hardened(mux)
}

// hardened adds headers that keep a browser from making more of a page than it is.
func hardened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}

func serveHealthy(w http.ResponseWriter, healthy bool) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !healthy {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "main loop stalled")
		return
	}
	fmt.Fprintln(w, "ok")
}

// readyAnswer is the body of /-/ready, one line of JSON.
type readyAnswer struct {
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
}

func serveReady(w http.ResponseWriter, ready func() (bool, string)) {
	var answer readyAnswer
	answer.Ready, answer.Reason = ready()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(answer)
}

func serveLanding(w http.ResponseWriter, version string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, landingPage, html.EscapeString(version))
}
