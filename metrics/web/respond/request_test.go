package respond

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// FuzzParse compares with net/http: what both take for a request has the same method and path.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"GET /metrics HTTP/1.1\r\nHost: h\r\nUser-Agent: Prometheus/2.42.0\r\nAccept: text/plain;version=0.0.4;q=0.3,*/*;q=0.1\r\n\r\n",
		"HEAD http://h/-/ready?x HTTP/1.0\n\n",
		"GET http://h HTTP/1.1\r\nhost:\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
		"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
		"\r\n\r\nGET / HTTP/1.0\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		end := headEnd(data)
		if end == 0 {
			return
		}
		if end > len(data) || data[end-1] != '\n' {
			t.Fatalf("the head of %q ends at %d", data, end)
		}
		r, s := parse(data[:end])
		if reasons[s] == "" {
			t.Fatalf("status %d", s)
		}
		if s != ok {
			return
		}
		if !strings.HasPrefix(r.path, "/") || strings.ContainsAny(r.path, " ?\n") {
			t.Fatalf("path %q of %q", r.path, data)
		}
		theirs, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data[:end])))
		if err != nil {
			return // its rules for header fields and for escapes are stricter
		}
		path := theirs.URL.EscapedPath()
		if path == "" {
			path = "/"
		}
		if path != r.path && theirs.URL.Path != r.path || (theirs.Method == "HEAD") != r.head {
			t.Fatalf("%q is %+v, net/http says %s %s", data, r, theirs.Method, theirs.URL)
		}
	})
}
