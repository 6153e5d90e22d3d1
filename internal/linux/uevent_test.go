package linux

import (
	"maps"
	"os"
	"testing"
	"time"
)

func TestParseUevent(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          map[string]string
	}{
		{"a copied machine", "change@/devices/LNXSYSTM:00/QEMUVGID:00\x00ACTION=change\x00NEW_VMGENID=1\x00SEQNUM=7\x00", map[string]string{"ACTION": "change", "NEW_VMGENID": "1", "SEQNUM": "7"}},
		{"value with an equals sign", "add@/x\x00A=b=c\x00", map[string]string{"A": "b=c"}},
		{"empty value", "add@/x\x00A=\x00", map[string]string{"A": ""}},
		{"no key", "add@/x\x00=b\x00", map[string]string{}},
		{"not terminated", "add@/x\x00A=b", map[string]string{"A": "b"}},
		{"empty", "", map[string]string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseUevent([]byte(tt.message)); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzUevent(f *testing.F) {
	f.Add([]byte("change@/x\x00NEW_VMGENID=1\x00"))
	f.Fuzz(func(t *testing.T, message []byte) {
		for key, value := range parseUevent(message) {
			if key == "" || len(key)+len(value) >= len(message)+1 {
				t.Errorf("%q=%q from %q", key, value, message)
			}
		}
	})
}

// TestUevents lets the kernel send an event of our own about the null device.
func TestUevents(t *testing.T) {
	got := make(chan map[string]string, 64)
	if err := Uevents(func(e map[string]string) {
		select {
		case got <- e:
		default:
		}
	}); err != nil {
		t.Skipf("no events here: %v", err)
	}
	const id = "e2f7c6a0-64c6-4f0b-9d10-8d4c6d3ec7a1"
	if err := os.WriteFile("/sys/class/mem/null/uevent", []byte("change "+id+" HWRNGD=1"), 0); err != nil {
		t.Skipf("cannot trigger an event: %v", err)
	}
	for timeout := time.After(2 * time.Second); ; {
		select {
		case e := <-got:
			if e["SYNTH_UUID"] != id {
				continue
			}
			if e["ACTION"] != "change" || e["SYNTH_ARG_HWRNGD"] != "1" {
				t.Errorf("event %v", e)
			}
			return
		case <-timeout:
			t.Skip("the kernel sends no events into this network namespace")
		}
	}
}
