package web

import (
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for _, test := range []struct {
		text            string
		network, target string // "" means refused
	}{
		{"127.0.0.1:9779", "tcp", "127.0.0.1:9779"},
		{"[::1]:9779", "tcp", "[::1]:9779"},
		{":9779", "tcp", ":9779"},
		{"localhost:0", "tcp", "localhost:0"},
		{"unix:/run/hwrngd/metrics.sock", "unix", "/run/hwrngd/metrics.sock"},
		{"unix:/" + strings.Repeat("x", 106), "unix", "/" + strings.Repeat("x", 106)},
		{"unix:/" + strings.Repeat("x", 107), "", ""},
		{"unix:", "", ""},
		{"", "", ""},
		{"off", "", ""},
		{"127.0.0.1", "", ""},
		{"::1:9779", "", ""},
		{"127.0.0.1:http", "", ""},
		{"127.0.0.1:65536", "", ""},
		{"127.0.0.1:", "", ""},
	} {
		a, err := parseAddress(test.text)
		if a.network != test.network || a.target != test.target || (err == nil) != (test.network != "") {
			t.Errorf("%q: got %q %q, %v", test.text, a.network, a.target, err)
		}
		if err != nil && !strings.Contains(err.Error(), "listen address") {
			t.Errorf("%q: error %q does not say what is wrong", test.text, err)
		}
	}
}
