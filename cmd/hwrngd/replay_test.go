//go:build !minimal

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
)

// recorded returns times as capture writes them.
func recorded(times []int64) []byte {
	var data []byte
	for _, t := range times {
		data = binary.LittleEndian.AppendUint64(data, uint64(t))
	}
	return data
}

// TestReplay: a capture of the noise loop passes its own tests; regular times and coarse clocks do not.
func TestReplay(t *testing.T) {
	good := capture("jitter", "--samples=40000", "--format=u64")
	if good.code != exitOK {
		t.Fatalf("%+v", good)
	}
	flat := jittertest.Times(&jittertest.Clock{Tick: 10, ReadTime: 20, Step: jittertest.Constant(1000)}, 40000)
	coarse := jittertest.Requantise(jittertest.Times(noisyClock(), 40000), 1e6)
	for _, tt := range []struct {
		name string
		data []byte
		code int
		want []string
	}{
		{"good", []byte(good.stdout), exitOK, []string{"accepted", "would have delivered ", " blocks of 64 bytes", "40000 of 40000 samples", "bits a sample (", "0.5 bits a sample at the end"}},
		{"flat", recorded(flat), exitFailedTests, []string{"refused", "a sample takes 1.0 steps of the clock (need 8)"}},
		{"coarse", recorded(coarse), exitFailedTests, []string{"refused", "the clock advances in steps of 1ms"}},
		{"still", make([]byte, 8*40001), exitFailedTests, []string{"refused", "the clock does not advance"}},
	} {
		path := samplesIn(t, tt.data)
		got := call(nil, "assess", "--replay", path)
		if got.code != tt.code || got.stderr != "" {
			t.Errorf("%s: code %d, %s", tt.name, got.code, got.stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, got.stdout)
			}
		}
		got = call(nil, "assess", "--replay", path, "--output=json")
		var v struct {
			Accepted bool   `json:"accepted"`
			Reason   string `json:"reason"`
			Times    int    `json:"times"`
		}
		if err := json.Unmarshal([]byte(got.stdout), &v); err != nil || got.code != tt.code || v.Accepted != (tt.code == exitOK) || v.Accepted != (v.Reason == "") || v.Times != 40001 {
			t.Errorf("%s: code %d, %v, %s", tt.name, got.code, err, got.stdout)
		}
	}
	part := assessFrom(t.Context(), bytes.NewReader([]byte(good.stdout)), "--replay", "-", "--samples=30001")
	if part.code != exitOK || !strings.Contains(part.stdout, "30000 of 30000 samples") {
		t.Errorf("%+v", part)
	}
}
