package web

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// newHandler returns the handler of all pages. The method in the patterns makes the mux answer
// anything but GET and HEAD with 405.
func newHandler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", o.Metrics)
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { serveHealthy(w, o.Healthy()) })
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) { serveReady(w, o.Ready) })
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
