package monitoring

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
)

// breakages are what happens to boards, and the alerts that a real Prometheus has to raise for it.
var breakages = []struct {
	name   string
	args   []string // of the daemon
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
	{
		name:   "swapped",
		spoil:  func(b *board) { b.swap("tpm-rng-0") },
		mend:   func(*board) {}, // it is the new one's from now on
		atOnce: []string{"HwrngdHwrngChanged"},
	},
	{
		name:   "overrated",
		args:   []string{"--entropy", "hwrng=8"},
		spoil:  func(b *board) { b.play(uneven{rand.NewChaCha8([32]byte{9})}) },
		mend:   func(b *board) { b.play(good(2)) },
		alerts: []string{"HwrngdEntropyEstimateLow"},
	},
}

// wells are boards that nobody breaks, and for which no alert may fire.
var wells = []struct {
	name   string
	args   []string
	script io.Reader
}{
	{name: "well", script: good(1)},
	{name: "monitors", script: good(1), args: []string{"--monitor"}},
	// The TPM is slow by design, which counts as no credit here, where all is hurried.
	{name: "takes turns", script: good(1), args: []string{"--hwrng-select", "rotate", "--hwrng-turn", "1m", "--hwrng-deny", "tpm-rng-0"}},
	{name: "fails by design", script: &weak{ChaCha8: rand.NewChaCha8([32]byte{10})}, args: []string{"--failure-rate", "hwrng=0.125"}},
}

// Boards break, their alerts become pending and fire, the boards are mended, and the alerts end.
func TestAlertsComeAndGo(t *testing.T) {
	t.Parallel()
	needRoot(t)
	cases := breakages
	var boards []*board
	start := func(name string, script io.Reader, args []string) {
		b := newBoard(t, name)
		b.args = args
		b.plug(script)
		b.start()
		boards = append(boards, b)
	}
	for _, c := range cases {
		start(c.name, good(1), c.args)
	}
	for _, w := range wells {
		start(w.name, w.script, w.args)
	}
	s := watch(t, boards...)
	eventually(t, "all boards credit, or monitor", func() bool {
		return len(s.query(`hwrngd_ready == 1 and (time() - hwrngd_last_credit_timestamp_seconds < 5 or hwrngd_monitor == 1)`)) == len(boards)
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
	eventually(t, "the board that is to fail by design has failed", func() bool {
		return s.has(`hwrngd_fips_blocks_total{instance="fails by design", result="fail"} > 5`)
	})
	// Long enough for all rules to have looked at it.
	eventually(t, "the other generator's turn", func() bool {
		return s.has(`count_over_time(hwrngd_hwrng_current_info{instance="takes turns", rng="other.rng"}[5m]) > 5 and ignoring (rng) hwrngd_hwrng_rotating == 1`)
	})
	for _, w := range wells {
		for _, one := range s.query(fmt.Sprintf(`last_over_time(ALERTS{alertstate="firing", instance=%q}[1h])`, w.name)) {
			t.Errorf("%s fired for the board that is called %s", one.Metric["alertname"], w.name)
		}
	}
}
