package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestPages(t *testing.T) {
	bad := okOptions()
	bad.Healthy = func() bool { return false }
	bad.Ready = func() (bool, string) { return false, `source "hwrng": starting, 12 of 1024 samples` }

	for _, test := range []struct {
		name, method, path string
		options            Options
		wantCode           int
		wantType           string
		wantBody           string
	}{
		{"metrics", "GET", "/metrics", okOptions(), 200, "", "hwrngd_ready 1\n"},
		{"healthy", "GET", "/-/healthy", okOptions(), 200, "text/plain; charset=utf-8", "ok\n"},
		{"stalled", "GET", "/-/healthy", bad, 503, "text/plain; charset=utf-8", "main loop stalled\n"},
		{"ready", "GET", "/-/ready", okOptions(), 200, "application/json", "{\"ready\":true}\n"},
		{
			"unready", "GET", "/-/ready", bad, 503, "application/json",
			`{"ready":false,"reason":"source \"hwrng\": starting, 12 of 1024 samples"}` + "\n",
		},
		{"head", "HEAD", "/-/ready", bad, 503, "application/json", ""},
		{"post metrics", "POST", "/metrics", okOptions(), 405, "", "Method Not Allowed\n"},
		{"put ready", "PUT", "/-/ready", okOptions(), 405, "", "Method Not Allowed\n"},
		{"delete landing", "DELETE", "/", okOptions(), 405, "", "Method Not Allowed\n"},
		{"unknown", "GET", "/debug/pprof/", okOptions(), 404, "", "404 page not found\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(newHandler(test.options))
			defer server.Close()
			req, err := http.NewRequest(test.method, server.URL+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != test.wantCode || string(body) != test.wantBody {
				t.Errorf("got %d %q, want %d %q", resp.StatusCode, body, test.wantCode, test.wantBody)
			}
			if got := resp.Header.Get("Content-Type"); test.wantType != "" && got != test.wantType {
				t.Errorf("content type %q, want %q", got, test.wantType)
			}
			if got := resp.Header.Get("Allow"); test.wantCode == 405 && got != "GET, HEAD" {
				t.Errorf("Allow: %q", got)
			}
		})
	}
}
