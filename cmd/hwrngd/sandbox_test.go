package main

import (
	"slices"
	"testing"
)

// TestBeyondSandbox: what a reload asks for that the sandbox does not let the daemon do.
func TestBeyondSandbox(t *testing.T) {
	load := func(words ...string) *Config {
		flags := map[string][]string{}
		for i := 0; i < len(words); i += 2 {
			flags[words[i]] = append(flags[words[i]], words[i+1])
		}
		return mustLoad(t, input("/dev/null", nil, flags))
	}
	before := load("metrics-textfile", "/srv/a/h.prom", "metrics-listen", "unix:/opt/s/sock")
	for _, c := range []struct {
		name string
		next *Config
		want []string
	}{
		{"nothing new", before, nil},
		{"the same directory", load("metrics-textfile", "/srv/a/other.prom"), nil},
		{"below it", load("metrics-textfile", "/srv/a/b/other.prom"), nil},
		{"where everybody writes", load("metrics-textfile", "/var/lib/n/h.prom", "metrics-listen", "unix:/run/x/sock"), nil},
		{"a port", load("metrics-listen", "127.0.0.1:1"), nil},
		{"a name that only begins alike", load("metrics-textfile", "/srv/ab/h.prom"), []string{"metrics-textfile"}},
		{"above it", load("metrics-textfile", "/srv/h.prom"), []string{"metrics-textfile"}},
		{"a socket elsewhere", load("metrics-listen", "unix:/srv/sock"), []string{"metrics-listen"}},
	} {
		if got := beyondSandbox(before, c.next); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
