package pool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

func TestStatusTexts(t *testing.T) {
	var (
		active   = source.Snapshot{Name: "hwrng", State: "active", Driver: "virtio_rng.0"}
		nameless = source.Snapshot{Name: "hwrng", State: "active"}
		starting = source.Snapshot{Name: "hwrng", State: "starting", BlockFilled: 0.43}
		silent   = source.Snapshot{Name: "hwrng", State: "starting", Reason: "no data for 15s"}
		bad      = source.Snapshot{Name: "hwrng", State: "quarantined", Reason: "rct health test: value 0x00 repeated 11 times"}
		second   = source.Snapshot{Name: "jitter", State: "active"}
		fed      = pool.Credits{CanCredit: true, CRNGReady: true, Bits: map[string]uint64{"hwrng": 1024, "jitter": 256}}
		unready  = pool.Credits{CanCredit: true}
		denied   = pool.Credits{CRNGReady: true}
	)
	for _, tt := range []struct {
		name   string
		status pool.Status
		reason string // why it is not ready, "" if it is
		line   string
	}{
		{
			"feeding",
			pool.Status{Credits: fed, Sources: []source.Snapshot{active}},
			"", "feeding from hwrng (virtio_rng.0), 1280 bits credited",
		},
		{
			"feeding from the second source",
			pool.Status{Credits: fed, Sources: []source.Snapshot{silent, second}},
			"", "feeding from jitter, 1280 bits credited",
		},
		{
			"no driver name",
			pool.Status{Credits: fed, Sources: []source.Snapshot{nameless}},
			"", "feeding from hwrng, 1280 bits credited",
		},
		{
			"not seeded",
			pool.Status{Credits: unready, Sources: []source.Snapshot{active}},
			"the kernel's random generator is not seeded yet", "feeding from hwrng (virtio_rng.0), 0 bits credited",
		},
		{
			"monitoring",
			pool.Status{Monitor: true, Credits: denied, Sources: []source.Snapshot{active}},
			"", "monitoring hwrng (virtio_rng.0), crediting nothing",
		},
		{
			"not allowed",
			pool.Status{Credits: denied, Sources: []source.Snapshot{active}},
			"", "testing hwrng (virtio_rng.0) but cannot credit: crediting the kernel needs CAP_SYS_ADMIN in the initial user namespace",
		},
		{
			"starting",
			pool.Status{Credits: fed, Sources: []source.Snapshot{starting}},
			"source hwrng is starting, 43 % of a test block read", "source hwrng is starting, 43 % of a test block read",
		},
		{
			"silent",
			pool.Status{Credits: fed, Sources: []source.Snapshot{silent, starting}},
			"source hwrng is starting: no data for 15s", "source hwrng is starting: no data for 15s",
		},
		{
			"quarantined",
			pool.Status{Credits: unready, Sources: []source.Snapshot{bad}},
			"source hwrng is quarantined: rct health test: value 0x00 repeated 11 times",
			"source hwrng is quarantined: rct health test: value 0x00 repeated 11 times",
		},
		{"no source", pool.Status{Credits: fed}, "no source is configured", "no source is configured"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if ready, reason := tt.status.Ready(); ready != (tt.reason == "") || reason != tt.reason {
				t.Errorf("Ready = %v, %q, want %q", ready, reason, tt.reason)
			}
			if line := tt.status.Line(); line != tt.line {
				t.Errorf("Line = %q, want %q", line, tt.line)
			}
		})
	}
}

// TestStatusJSON leaves out what has not happened: a date of year 1 would look like one.
func TestStatusJSON(t *testing.T) {
	var s pool.Status
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "last_credit") {
		t.Errorf("no credit yet, but %s", text)
	}
	s.Credits.LastCredit = time.Unix(1, 0)
	if text, _ = json.Marshal(s); !strings.Contains(string(text), "last_credit") {
		t.Errorf("no last credit in %s", text)
	}
}

// TestLabels: these names are label values of metrics, so each has to be there once.
func TestLabels(t *testing.T) {
	labels := map[string][]fmt.Stringer{}
	for _, v := range pool.IoctlOps {
		labels["op"] = append(labels["op"], v)
	}
	for _, v := range pool.IoctlReasons {
		labels["ioctl reason"] = append(labels["ioctl reason"], v)
	}
	for _, v := range pool.WaitReasons {
		labels["wait reason"] = append(labels["wait reason"], v)
	}
	for label, values := range labels {
		seen := map[string]bool{"": true}
		for i, v := range values {
			if seen[v.String()] {
				t.Errorf("%s %d is called %q", label, i, v)
			}
			seen[v.String()] = true
		}
	}
}
