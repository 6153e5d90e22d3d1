package web

import (
	"io"
	"net/http"
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
		{"post metrics", "POST", "/metrics", okOptions(), 405, "", methodBody},
		{"put ready", "PUT", "/-/ready", okOptions(), 405, "", methodBody},
		{"delete landing", "DELETE", "/", okOptions(), 405, "", methodBody},
		{"unknown", "GET", "/debug/pprof/", okOptions(), 404, "", unknownBody},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := newTestServer(t, test.options)
			listen(t, s, "127.0.0.1:0")
			client := newClient(t, "tcp", waitFor(t, s, 0, "bound", isBound).Bound)
			req, err := http.NewRequest(test.method, "http://hwrngd"+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
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
