package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source/jitter"
)

func TestListJitter(t *testing.T) {
	before := jitterProbeTime
	t.Cleanup(func() { jitterProbeTime = before })
	for _, tt := range []struct {
		name     string
		clock    func() jitter.Clock
		args     []string
		patience time.Duration
		want     []string
	}{
		{"good", func() jitter.Clock { return noisyClock() }, nil, time.Minute, []string{"jitter  -  usable  8 of 8 bits a byte (1152 samples of 0.5 bits for 64 bytes)\n"}},
		{"dead", deadClock, nil, time.Minute, []string{"jitter  -  not usable  ", "jitter refused: the system's clock did not advance", "hint  use a hardware generator, or boot with a clocksource"}},
		{"dead, not asked", deadClock, []string{"--no-probe"}, time.Minute, []string{"jitter  -  usable "}},
		{"slow", func() jitter.Clock { return noisyClock() }, nil, 0, []string{"jitter  -  usable ", "its start-up test takes more than 0s here, 'hwrngd bench jitter' waits for it"}},
		{"claimed", func() jitter.Clock { return noisyClock() }, []string{"--entropy=jitter=0.2"}, time.Minute, []string{"(2880 samples of 0.2 bits for 64 bytes)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			useClock(t, tt.clock)
			jitterProbeTime = tt.patience
			dir := t.TempDir()
			got := inDir(t, dir, func() result { return call(nil, append(append([]string{"list"}, atHome...), tt.args...)...) })
			text := regexp.MustCompile(` {2,}`).ReplaceAllString(got.stdout, "  ") // widths depend on the machine
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s%s", want, got.stdout, got.stderr)
				}
			}
		})
	}
}
