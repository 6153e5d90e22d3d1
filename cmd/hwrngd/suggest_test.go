package main

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"run", "list", "status", "check", "version", "help", "refill-interval", "log-level", "log-format", "virtio_rng.0"}
	tests := []struct{ name, want string }{
		{"status", "status"},
		{"statsu", "status"},
		{"stat", "status"},
		{"STATUS", "status"},
		{"ls", "list"},
		{"rnu", "run"},
		{"refill_intervall", "refill-interval"},
		{"loglevel", "log-level"},
		{"log-fromat", "log-format"},
		{"virtio-rng.0", "virtio_rng.0"},
		{"", ""},
		{"x", ""},
		{"jitter", ""},
		{"a-name-much-longer-than-anything-that-this-program-has-a-use-for-xx", ""},
		{"größe", ""},
	}
	for _, test := range tests {
		if got := nearest(test.name, names); got != test.want {
			t.Errorf("nearest(%q) = %q, want %q", test.name, got, test.want)
		}
	}
	if got := nearest("x", nil); got != "" {
		t.Errorf("nearest of nothing = %q", got)
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "ab", 1},
		{"abc", "acb", 1},
		{"kitten", "sitting", 3},
		{"abcd", "badc", 2},
	}
	for _, test := range tests {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
