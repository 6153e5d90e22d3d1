//go:build !minimal

package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTexts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{sizeText(0), "0 bytes"},
		{sizeText(999), "999 bytes"},
		{sizeText(1000), "1 kB"},
		{sizeText(9600), "9.6 kB"},
		{sizeText(2_500_000), "2.5 MB"},
		{sizeText(999_600), "1 MB"},
		{sizeText(123_456_789), "123 MB"},
		{sizeText(5e12), "5 TB"},
		{sizeText(7e15), "7e+03 TB"},
		{speedText(9600), "9.6 kB/s"},
		{spanText(0), "0 s"},
		{spanText(499 * time.Millisecond), "0 s"},
		{spanText(59 * time.Second), "59 s"},
		{spanText(60 * time.Second), "1 min"},
		{spanText(260 * time.Second), "4 min 20 s"},
		{spanText(2 * time.Hour), "2 h"},
		{spanText(95 * time.Minute), "1 h 35 min"},
		{tookText(0.0000148), "14.8 µs"},
		{tookText(0.0123), "12.3 ms"},
		{tookText(1.5), "1.5 s"},
		{tookText(260), "4 min 20 s"},
		{blocksText(1), "1 block (2.5 kB)"},
		{blocksText(1000), "1000 blocks (2.5 MB)"},
		{figureText(0), "0"},
		{figureText(0.795), "0.795"},
		{figureText(2500250), "2500250"},
		{figureText(1.4551915e-7), "1.4552e-7"},
		{figureText(-12345), "-12345"},
		{figureText(2e20), "2e20"},
		{chanceText(1), "100 %"},
		{chanceText(0.99), "99 %"},
		{chanceText(0.0467), "4.7 %"},
		{chanceText(0.0095), "0.95 %"},
		{chanceText(1. / 1258), "1 in 1260"},
		{chanceText(1e-6), "1 in 1000000"},
		{chanceText(9e-7), "9e-7"},
		{chanceText(3e-300), "3e-300"},
		{chanceText(0), "below 1e-300"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

// TestNotice: a device that takes long is announced once, with the time that it will take; a silent one
// is too.
func TestNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &auditPace{begin: time.Now(), goal: 2_500_004}
		var said strings.Builder
		read := int64(0)
		tick := p.notice("1000 blocks (2.5 MB)", "/dev/hw\x1brng", func() int64 { return read }, func(text string) { said.WriteString(text) })
		for second := range 8 {
			time.Sleep(time.Second)
			if !tick() {
				t.Errorf("ended after %d s", second)
			}
		}
		if want := "/dev/hw\\x1brng has given nothing for 5 s; Ctrl-C ends the audit\n"; said.String() != want {
			t.Errorf("%q, want %q", said.String(), want)
		}
		said.Reset()
		time.Sleep(2 * time.Second)
		read = 96_000
		if tick() {
			t.Error("there is more to say")
		}
		if want := "reading 1000 blocks (2.5 MB) from /dev/hw\\x1brng: about 4 min 20 s at 9.6 kB/s\n"; said.String() != want {
			t.Errorf("%q, want %q", said.String(), want)
		}
	})
}

// TestAuditProgress: what the line on the terminal shows.
func TestAuditProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			pace auditPace
			want string
		}{
			{auditPace{}, "96 kB, 38 blocks, 1 failed, 9.6 kB/s"},
			{auditPace{goal: 2_500_004}, "96 kB, 38 blocks, 1 failed, 9.6 kB/s, 4 min 10 s left"},
			{auditPace{until: time.Minute}, "96 kB, 38 blocks, 1 failed, 9.6 kB/s, 50 s left"},
			{auditPace{until: time.Minute, goal: 192_000}, "96 kB, 38 blocks, 1 failed, 9.6 kB/s, 10 s left"},
			{auditPace{until: 15 * time.Second, goal: 2_500_004}, "96 kB, 38 blocks, 1 failed, 9.6 kB/s, 5 s left"},
			{auditPace{until: 5 * time.Second}, "96 kB, 38 blocks, 1 failed, 9.6 kB/s, 0 s left"},
		} {
			p := tt.pace
			p.begin = time.Now()
			time.Sleep(10 * time.Second)
			if got := p.progressText(96_000, 38, 1); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		}
		p := auditPace{begin: time.Now(), goal: 10}
		if got := p.progressText(0, 0, 0); got != "0 bytes, 0 blocks, 0 failed" {
			t.Error(got)
		}
	})
}
