//go:build !minimal

package web

import (
	"io"
	"net/http"
)

// What refused requests show, for people.
const (
	methodBody  = "Method Not Allowed\n"
	unknownBody = "404 page not found\n"
)

// keepsConnections tells whether a client can ask again without connecting again.
const keepsConnections = true

// showing is a page of metrics with the text that f returns.
func showing(f func() string) Metrics {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, f()) })
}
