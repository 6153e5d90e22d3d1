package hwrng

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

func TestSurvey(t *testing.T) {
	two := map[string]string{
		"rng_current": "ccp-1-rng\n", "rng_available": "ccp-1-rng tpm-rng-0 none\n", "rng_quality": "128\n", "rng_selected": "0\n",
	}
	for _, c := range []struct {
		name  string
		class map[string]string
		setup func(*rig)
		limit time.Duration
		want  []Finding // Info: name of the driver and claim alone
	}{
		{name: "no node", class: nil, want: []Finding{{Info: source.Info{MinEntropy: 4}, Reason: "no such file", Hint: "no driver"}}},
		{
			name: "no driver", class: map[string]string{"rng_current": "none\n", "rng_available": "none\n"}, setup: (*rig).mkfifo,
			want: []Finding{{Info: source.Info{MinEntropy: 4}, Reason: "no driver behind it: rng_current is none, rng_available is empty", Hint: "load the driver"}},
		},
		{
			name: "two, not read", class: two, setup: (*rig).mkfifo,
			want: []Finding{
				{Info: source.Info{Driver: "ccp-1-rng", MinEntropy: 1}, Current: true, Usable: true},
				{Info: source.Info{Driver: "tpm-rng-0", MinEntropy: 4}, Reason: "not current: the kernel reads one generator at a time, now ccp-1-rng", Hint: "--hwrng-select tpm-rng-0"},
			},
		},
		{
			name: "two, one denied", class: two, setup: func(r *rig) { r.mkfifo(); r.opt.Deny = []string{"tpm-rng-0"} },
			want: []Finding{
				{Info: source.Info{Driver: "ccp-1-rng", MinEntropy: 1}, Current: true, Usable: true},
				{Info: source.Info{Driver: "tpm-rng-0", MinEntropy: 4}, Reason: "denied by configuration", Hint: "--hwrng-deny"},
			},
		},
		{
			// The FIFO has no writer, so a read would be seen as one that brings nothing.
			name: "current one denied", class: two, limit: 10 * time.Second, setup: func(r *rig) { r.mkfifo(); r.opt.Deny = []string{"ccp-1-rng", "tpm-rng-0"} },
			want: []Finding{
				{Info: source.Info{Driver: "ccp-1-rng", MinEntropy: 1}, Current: true, Reason: "denied by configuration", Hint: "--hwrng-deny"},
				{Info: source.Info{Driver: "tpm-rng-0", MinEntropy: 4}, Reason: "denied by configuration", Hint: "--hwrng-deny"},
			},
		},
		{
			name: "reads", class: virtio(), limit: 10 * time.Second, setup: func(r *rig) { r.mkfifo(); r.feed(letters(64)) },
			want: []Finding{{Info: source.Info{Driver: "virtio_rng.0", MinEntropy: 4}, Current: true, Usable: true}},
		},
		{ // FC-069
			name: "silent", class: virtio(), limit: 30 * time.Millisecond, setup: func(r *rig) { r.mkfifo(); r.feed(nil) },
			want: []Finding{{Info: source.Info{Driver: "virtio_rng.0", MinEntropy: 4}, Current: true, Reason: "no data within 30ms", Hint: "slow, idle or hung"}},
		},
		{
			name: "user chose none", class: map[string]string{"rng_current": "none\n", "rng_available": "a.rng none\n"}, setup: (*rig).mkfifo, limit: 10 * time.Second,
			want: []Finding{{Info: source.Info{Driver: "a.rng", MinEntropy: 4}, Reason: "now none", Hint: "--hwrng-select a.rng"}},
		},
		{
			name: "list cannot be read", class: map[string]string{"rng_current": "a.rng\n"}, setup: (*rig).mkfifo,
			want: []Finding{{Info: source.Info{Driver: "a.rng", MinEntropy: 4}, Current: true, Usable: true}},
		},
		{
			name: "another device", class: map[string]string{"rng_current": "a.rng\n", "rng_available": "a.rng\n", "rng_quality": "1\n", "dev": "10:183\n"}, setup: (*rig).mkfifo,
			want: []Finding{{Info: source.Info{MinEntropy: 4}, Current: true, Usable: true}},
		},
		{
			name: "urandom", class: virtio(), setup: func(r *rig) { os.Symlink("/dev/urandom", r.dev) }, limit: 10 * time.Second,
			want: []Finding{{Info: source.Info{MinEntropy: 4}, Reason: "the kernel's own /dev/urandom", Hint: "rngd"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.class)
			if c.setup != nil {
				c.setup(r)
			}
			got := Survey(t.Context(), r.opt, c.limit)
			if len(got) != len(c.want) {
				t.Fatalf("got %+v", got)
			}
			for i, want := range c.want {
				g := got[i]
				if g.Name != Name || g.Device != r.dev || g.Driver != want.Driver || g.MinEntropy != want.MinEntropy {
					t.Errorf("%d: got %+v", i, g.Info)
				}
				if g.Current != want.Current || g.Usable != want.Usable || g.Usable != (g.Reason == "") {
					t.Errorf("%d: current %v, usable %v, reason %q", i, g.Current, g.Usable, g.Reason)
				}
				if !strings.Contains(g.Reason, want.Reason) || !strings.Contains(g.Hint, want.Hint) {
					t.Errorf("%d: reason %q, hint %q", i, g.Reason, g.Hint)
				}
			}
			if c.class != nil && c.class["rng_current"] != r.get("rng_current") {
				t.Error("changed the selection")
			}
		})
	}
}
