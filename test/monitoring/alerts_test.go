package monitoring

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
)

// Boards break, their alerts become pending and fire, the boards are mended, and the alerts end.
func TestAlertsComeAndGo(t *testing.T) {
	t.Parallel()
	needRoot(t)
	cases := []struct {
		name   string
		spoil  func(*board)
		mend   func(*board)
		alerts []string
		// atOnce are alerts that wait for nothing, so they are never pending.
		atOnce []string
	}{
		{
			name:   "stuck",
			spoil:  func(b *board) { b.play(stuck{}) },
			mend:   func(b *board) { b.play(good(2)) },
			alerts: []string{"HwrngdNoActiveSource", "HwrngdNotReady", "HwrngdNoCredit", "HwrngdSourceQuarantined"},
			atOnce: []string{"HwrngdHealthTestPermanent"},
		},
		{
			name:   "biased",
			spoil:  func(b *board) { b.play(biased{rand.NewChaCha8([32]byte{8})}) },
			mend:   func(b *board) { b.play(good(2)) },
			alerts: []string{"HwrngdFipsFailureRateHigh", "HwrngdNoActiveSource"},
		},
		{
			name:   "unplugged",
			spoil:  func(b *board) { b.unplug() },
			mend:   func(b *board) { b.plug(good(2)) },
			alerts: []string{"HwrngdSourceLost", "HwrngdNoActiveSource", "HwrngdNotReady", "HwrngdNoCredit"},
		},
		{
			name:   "stopped",
			spoil:  func(b *board) { b.stop() },
			mend:   func(b *board) { b.start() },
			alerts: []string{"HwrngdDown"},
		},
		{
			name: "misconfigured",
			spoil: func(b *board) {
				b.write("hwrngd.toml", "refill = \"1s\"\n")
				b.signal(syscall.SIGHUP)
			},
			mend: func(b *board) {
				b.write("hwrngd.toml", "")
				b.signal(syscall.SIGHUP)
			},
			alerts: []string{"HwrngdReloadFailed"},
		},
	}
	boards := make([]*board, len(cases)+1)
	for i := range boards {
		name := "well" // nobody breaks the last one
		if i < len(cases) {
			name = cases[i].name
		}
		boards[i] = newBoard(t, name)
		boards[i].plug(good(1))
		boards[i].start()
	}
	s := watch(t, boards...)
	eventually(t, "all boards credit", func() bool {
		return len(s.query(`hwrngd_ready == 1 and time() - hwrngd_last_credit_timestamp_seconds < 5`)) == len(boards)
	})
	for i, c := range cases {
		for _, alert := range slices.Concat(c.alerts, c.atOnce) {
			if s.in("firing", alert, boards[i]) {
				t.Errorf("%s fires for a good board", alert)
			}
		}
		c.spoil(boards[i])
	}
	for i, c := range cases {
		for _, alert := range slices.Concat(c.alerts, c.atOnce) {
			eventually(t, alert+" fires for the board that is "+c.name, func() bool { return s.in("firing", alert, boards[i]) })
			eventually(t, alert+" is told", func() bool { firing, _ := s.pager.told(alert, boards[i]); return firing })
			if slices.Contains(c.alerts, alert) && !s.wasIn("pending", alert, boards[i]) {
				t.Errorf("%s of %s was not pending first", alert, c.name)
			}
		}
	}
	for i, c := range cases {
		c.mend(boards[i])
	}
	for i, c := range cases {
		for _, alert := range slices.Concat(c.alerts, c.atOnce) {
			eventually(t, alert+" ends for the board that was "+c.name, func() bool { return !s.in("firing", alert, boards[i]) })
			eventually(t, "the end of "+alert+" is told", func() bool { _, resolved := s.pager.told(alert, boards[i]); return resolved })
		}
	}
	for _, one := range s.query(`last_over_time(ALERTS{alertstate="firing", instance="well"}[1h])`) {
		t.Errorf("%s fired for the board that nobody broke", one.Metric["alertname"])
	}
}
