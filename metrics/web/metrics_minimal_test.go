//go:build minimal

package web

import "io"

// What refused requests show, for people.
const (
	methodBody  = "405 Method Not Allowed\n"
	unknownBody = "404 Not Found\n"
)

// keepsConnections tells whether a client can ask again without connecting again.
const keepsConnections = false

// showing is a page of metrics with the text that f returns.
func showing(f func() string) Metrics {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, f())
		return err
	}
}
